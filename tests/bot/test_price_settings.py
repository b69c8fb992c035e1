"""`[prices]`: which machines, at what price; everything else is refused in words."""

from pathlib import Path

import pytest

from bot.config import ConfigError, load_settings

KNOWN = (
    "`[prices] per_hour` is a table of machines and what an hour of each costs, such as "
    '{ "p5.48xlarge" = 98.5 }'
)

UNKNOWN = (
    '`[prices] per_hour` names "p5.99xlarge", a machine that I do not know; the closest is '
    '"p5.48xlarge".'
)


def written(text: str, folder: Path) -> Path:
    path = folder / "config.toml"
    path.write_text(f"[prices]\n{text}\n", encoding="utf-8")
    return path


def test_machines_are_known_by_any_of_their_names(tmp_path: Path) -> None:
    text = 'currency = "EUR"\nper_hour = { "P5" = 98.5, "a2-ultragpu-1g" = 5 }'
    read = load_settings(written(text, tmp_path), {}).prices
    assert read.currency == "EUR"
    assert read.per_hour == {"p5.48xlarge": 98.5, "a2-ultragpu-1g": 5}


def test_without_them_there_are_none(tmp_path: Path) -> None:
    read = load_settings(written("", tmp_path), {}).prices
    assert (read.currency, read.per_hour) == ("USD", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'currency = "dollars"',
            '`[prices] currency` is three letters in quotes, such as "USD", not "dollars".',
        ),
        ('per_hour = { "p5.48xlarge" = -1 }', f"{KNOWN}, not -1."),
        ('per_hour = { "p5.48xlarge" = "98" }', f'{KNOWN}, not "98".'),
        ('per_hour = { "p5.48xlarge" = inf }', f"{KNOWN}, not inf."),
        ('per_hour = { "p5.48xlarge" = 1e9 }', f"{KNOWN}, not 1000000000.0."),
        ("per_hour = 3", f"{KNOWN}, not 3."),
        (
            'per_hour = { "p5.99xlarge" = 9.5 }',
            UNKNOWN,
        ),
        (
            'per_hours = { "p5.48xlarge" = 1 }',
            "I do not know `[prices] per_hours`. Did you mean `per_hour`?",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    path = written(text, tmp_path)
    with pytest.raises(ConfigError) as caught:
        load_settings(path, {})
    assert caught.value.problems == (f"{path}: {said}",)
