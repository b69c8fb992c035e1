"""`python -m tests.golden`: write every kept answer anew, and drop those of no case."""

from tests.golden.cases import GOLDEN
from tests.golden.store import current, kept, path_of


def main() -> None:
    """Write the files; name those that changed."""
    for case in sorted(kept() - set(GOLDEN)):
        path_of(case).unlink()
        print(f"dropped {case}")
    for case in GOLDEN:
        path, now = path_of(case), current(case)
        if not path.exists() or path.read_text(encoding="utf-8") != now:
            path.write_text(now, encoding="utf-8")
            print(f"wrote {case}")


if __name__ == "__main__":
    main()
