"""What is on disk, in sentences: files to download, a checkpoint, the data set."""

from collections.abc import Iterator, Sequence

from bot.locale import Locale
from estimator import Answer, Basis, Line, TrainSetup, checkpoint_bytes, show_gb

OF_MODEL = ("checkpoint_weights", "checkpoint_adapter", "checkpoint_saved_modules")


def on_disk(answer: Answer, locale: Locale) -> Iterator[str]:
    """One sentence of a run that trains; where the disk was asked about, all there is to say."""
    asked = bool(answer.request.disk)
    training = isinstance(answer.setup, TrainSetup)
    if not (asked or training):
        return
    lines = {line.key: line for line in answer.storage}
    yield _in_short(answer, lines, locale)
    if not asked:
        return
    download = lines.get("download")
    if download is not None and download.basis is Basis.ASSUMED:
        yield locale.say("disk_assumed")
    if not training:
        return
    kept = lines.get("kept_checkpoints")
    if kept is None:
        yield locale.say("disk_all_kept")
    else:
        count = kept.terms["kept"]
        yield locale.say("disk_kept", kept=count, bytes=show_gb(kept.bytes))
    if (tokens := lines.get("cached_tokens")) is not None:
        key = "disk_samples" if tokens.low_bytes is not None else "disk_tokens"
        yield locale.say(key, bytes=show_gb(tokens.bytes))


def _in_short(answer: Answer, lines: dict[str, Line], locale: Locale) -> str:
    """`On disk: 14.5 GB to download; a checkpoint to go on from is 503 MB, …`."""
    fetched = sum(line.bytes for key, line in lines.items() if key.startswith("download"))
    if not isinstance(answer.setup, TrainSetup):
        return locale.say("disk_serve", download=show_gb(fetched))
    own = sum(lines[key].bytes for key in OF_MODEL if key in lines)
    whole = checkpoint_bytes(list(lines.values()))
    adapted = answer.setup.adapter is not None
    return locale.say(
        "disk_train" if whole > own else "disk_train_alone",
        download=show_gb(fetched),
        checkpoint=show_gb(whole),
        weights=show_gb(own),
        what=locale.say("disk_of_adapter" if adapted else "disk_of_weights"),
    )


def on_disks(sides: Sequence[tuple[str, Answer]], locale: Locale) -> Iterator[str]:
    """`On disk: lora 0.5 GB a checkpoint, full 101.5 GB a checkpoint`, where that was asked."""
    if not sides or not all(answer.request.disk for _, answer in sides):
        return
    said = []
    for name, answer in sides:
        lines = answer.storage
        fetched = sum(line.bytes for line in lines if line.key.startswith("download"))
        training = isinstance(answer.setup, TrainSetup)
        size = show_gb(checkpoint_bytes(lines) if training else fetched)
        said.append(
            locale.say("disk_side_train" if training else "disk_side", name=name, size=size)
        )
    yield locale.say("disk_sides", sides=", ".join(said))
