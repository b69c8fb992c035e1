"""What is held: every operation's output, from its allocation to its release."""

import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tests.accuracy.counting.figures import rounded
from tests.accuracy.counting.foreign import (
    DTensor,
    Storage,
    Tensor,
    TorchDispatchMode,
    tree_leaves,
)


class Ledger(TorchDispatchMode):
    """The books of storages: bytes held now, the most since `mark`, and the operation at it.

    It stands on top of the fake mode, sees what each operation returns, and books every
    storage that it has not seen. A storage is released when PyTorch drops it: a weak
    reference tells. Views and operations in place share a storage, so they cost nothing.
    An operation that allocates within itself and frees before it returns (a kernel's
    workspace) is not seen.

    With `sought_bytes`, an inventory is taken the first time that so much is held.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held_bytes = 0
        self.peak_bytes = 0
        self.peak_op = ""
        self.inventory: Mapping[str, tuple[int, int]] = {}
        self.sought_bytes = 0
        self._held: dict[int, tuple[object, int, str]] = {}

    def mark(self) -> None:
        """Forget the peak: from here on it is sought anew."""
        self.peak_bytes = self.held_bytes
        self.peak_op = ""

    def take_inventory(self) -> dict[str, tuple[int, int]]:
        """What is held now: operation, type and shape → how many, and their bytes."""
        numbers: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for _, size_bytes, name in self._held.values():
            numbers[name] += 1
            sizes[name] += size_bytes
        return {name: (numbers[name], total) for name, total in sizes.most_common()}

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Run the operation and book what it returns; of sharded tensors, what this rank does."""
        named = dict(kwargs or {})
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented  # then it is DTensor's, and comes back as operations of its part
        result = func(*args, **named)
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                self._book(leaf, str(func))
        return result

    def _book(self, tensor: Tensor, operation: str) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata  # noqa: SLF001 - the storage's address, its only identity
        if key in self._held:
            return
        size_bytes = rounded(storage.nbytes())
        name = f"{operation} {str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"
        watched = weakref.ref(storage, lambda _: self._release(key))
        self._held[key] = (watched, size_bytes, name)
        self._grow(size_bytes, operation)

    def resized(self, storage: Storage, key: int) -> None:
        """FSDP keeps a gathered unit's storage, and empties and fills it by resizing."""
        if key in self._held:
            watched, size_bytes, name = self._held[key]
            now_bytes = rounded(storage.nbytes())
            self._held[key] = (watched, now_bytes, name)
            self._grow(now_bytes - size_bytes, "all_gather")

    def _grow(self, size_bytes: int, operation: str) -> None:
        self.held_bytes += size_bytes
        if self.held_bytes > self.peak_bytes:
            self.peak_bytes = self.held_bytes
            self.peak_op = operation
            if self.sought_bytes and self.held_bytes >= self.sought_bytes:
                self.inventory = self.take_inventory()
                self.sought_bytes = 0

    def _release(self, key: int) -> None:
        _, size_bytes, _ = self._held.pop(key)
        self.held_bytes -= size_bytes
