"""What no file of the product says."""

import re
from pathlib import Path

import pytest

from tests.repo.product import files, name

FILES = tuple(files())
REGISTRIES = ("pypi." + "org", "files.python" + "hosted.org", "registry.np" + "mjs.org")
NEVER = {  # written apart, so that this file does not hold them itself
    "a folder outside the repository": r"(?<![\w.-])sha" + "red/",
    "code from strangers": "trust_" + "remote_code",
    "a package registry": "|".join(map(re.escape, REGISTRIES)),
    "a path of one machine": r"(?<![\w./-])/(wo" + "rk|ro" + r"ot|home/\w+|Users/\w+)/",
}


@pytest.mark.parametrize("what", NEVER)
@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_file_names(path: Path, what: str) -> None:
    found = re.search(NEVER[what], path.read_text(encoding="utf-8"))
    assert found is None, f"{what}: {found}"


def test_the_patterns_find_what_they_are_for() -> None:
    texts = (
        "see sha" + "red/DESIGN.md",
        "trust_" + "remote_code=True",
        "https://pypi." + "org/simple",
        "open('/wo" + "rk/x')",
    )
    for pattern, text in zip(NEVER.values(), texts, strict=True):
        assert re.search(pattern, text)
