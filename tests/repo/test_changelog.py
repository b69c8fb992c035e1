"""CHANGELOG.md: each changed estimate stands below a heading of its own, with its reason."""

import re

import pytest

from tests.repo.product import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Estimates")
LONGEST = 60  # characters of a heading
SECTION = re.compile(r"^### Estimates\n(.*?)(?=^#{1,3} |\Z)", re.MULTILINE | re.DOTALL)
ESTIMATES = SECTION.findall(TEXT)


def malformed(section: str) -> list[str]:
    """What is wrong with what stands under “Estimates”."""
    before, *rest = re.split(r"^#### (.*)\n", section, flags=re.MULTILINE)
    titles, reasons = rest[::2], rest[1::2]
    wrong = [f"stands below no heading: {before.strip()[:40]}"] if before.strip() else []
    wrong += [f"is there twice: {one}" for one in sorted({*titles}) if titles.count(one) > 1]
    for title, reason in zip(titles, reasons, strict=True):
        if not 0 < len(title) <= LONGEST or title.endswith("."):
            wrong.append(f"is no heading: {title}")
        if not re.fullmatch(r"\n\S.*[.)]\n*", reason, re.DOTALL) or "\n\n" in reason.strip():
            wrong.append(f"has no reason of one paragraph: {title}")
        if reason.lstrip().startswith(("-", "*")):
            wrong.append(f"is a list: {title}")
    return wrong


def test_there_are_estimates() -> None:
    assert ESTIMATES
    assert sum(section.count("\n#### ") for section in ESTIMATES) > 50


@pytest.mark.parametrize("section", ESTIMATES)
def test_each_changed_estimate_has_a_heading_and_a_reason(section: str) -> None:
    assert malformed(section) == []


@pytest.mark.parametrize(
    "section",
    [
        "\n- A change in a list.\n",
        "\n#### A change\n\n- Its reason in a list.\n",
        "\n#### A change\n",
        "\n#### A change\n\nNo end\n",
        "\n#### A change.\n\nA reason.\n",
        "\n#### A change\n\nA reason.\n\nAnother change.\n",
        "\n#### A change\n\nA reason.\n\n#### A change\n\nA reason.\n",
        f"\n#### {'a' * 61}\n\nA reason.\n",
    ],
)
def test_another_form_is_found(section: str) -> None:
    assert malformed(section)


def test_versions_and_kinds_are_those_of_keep_a_changelog() -> None:
    versions = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
    assert versions[0] == "Unreleased"
    assert all(re.fullmatch(r"\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d", one) for one in versions[1:])
    assert {*re.findall(r"^### (.*)$", TEXT, re.MULTILINE)} <= {*KINDS}
