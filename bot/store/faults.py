"""Why something could not be kept or looked up. Unless it says so, nothing was changed."""

from typing import ClassVar


class StoreFault(Exception):
    """`key`: of the sentence that says what it is. No text of it holds an address or a value."""

    key: ClassVar[str]


class StoreOff(StoreFault):
    """The settings say that nothing is kept."""

    key = "off"


class StoreLocked(StoreFault):
    """Somebody else is writing, for longer than is waited."""

    key = "locked"


class StoreFull(StoreFault):
    """There is no room to write."""

    key = "full"


class StoreGone(StoreFault):
    """It is not there, does not answer, or may not be written to."""

    key = "gone"


class StoreSlow(StoreFault):
    """It took too long, and was taken back."""

    key = "slow"


class StoreUnsure(StoreFault):
    """It took too long while it was being written down: it may be kept or not."""

    key = "unsure"


class StoreNewer(StoreFault):
    """It was made by a newer version of this program."""

    key = "newer"


class StoreDamaged(StoreFault):
    """What is there is no database, or a broken one."""

    key = "damaged"


class RowDamaged(StoreDamaged):
    """What is kept of one owner makes no sense; of others it may."""
