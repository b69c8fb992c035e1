"""How many examples a property is tried on: a share of them with each change, or all of them.

The examples are the same ones each time, so a change that breaks a property nearly always breaks
it on the share as well. `EXAMPLES=all` in the environment tries all.
"""

import os

ALL = os.environ.get("EXAMPLES") == "all"
SHARE = 8  # one in so many, where a property has hundreds
FEWEST = 50


def examples(most: int) -> int:
    """How many of `most` examples are tried this time."""
    return most if ALL else min(most, max(FEWEST, most // SHARE))
