"""What only the model tells: how it spells its modules, how long its window is."""

from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.images import settle_images
from bot.reading.keys import FULL_CONTEXT
from bot.reading.pixels import settle_pixels
from bot.reading.saving import spelled
from bot.reading.seeking import FIND
from estimator import Catalog


def settle_by_model(
    fields: dict[str, Any], model: str, said: Said, catalog: Catalog, locale: Locale
) -> None:
    """`full ctx` becomes the window of `model`, and modules are spelled as it spells them."""
    row = catalog.models.get(model)
    if isinstance(fields.get("targets"), list):
        known = () if row is None else row.architecture.linear_modules
        fields["targets"] = spelled(fields["targets"], known)
    settle_pixels(fields, model, said, catalog, locale)
    seeing = row is not None and row.architecture.tower is not None
    settle_images(fields, said, seeing=seeing)
    whole = next((f for f in said.all_of("flag") if f.value == FULL_CONTEXT), None)
    name = "seq" if fields.get("task") == "train" else "context"
    trained = name == "seq" and any(f.value == "full" for f in said.all_of("method_hint"))
    if whole is not None and name in fields and row is not None and not trained:
        _refuse_other_window(whole, name, row.context, int(fields[name]), locale)
    if whole is None or name in fields:
        return
    if (row is None or row.context is None) and FIND not in fields and "gpus" in fields:
        fields[FIND] = name  # what else could `max context` of a size mean on a card?
        return
    if row is None or row.context is None:
        message = locale.say_wrong("no_window", words=echo(whole.text))
        raise NotUnderstoodError("no_value", message)
    fields[name] = row.context


def _refuse_other_window(
    whole: Fact, name: str, window: int | None, typed: int, locale: Locale
) -> None:
    """`full ctx 2048` says two lengths, where the model's own is another."""
    if window in (None, typed):
        return
    message = locale.say_wrong("twice", first=echo(whole.text), second=f"{typed}")
    names = (str(window), str(typed))
    raise NotUnderstoodError("contradiction", message, field=name, names=names)
