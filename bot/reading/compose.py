"""Facts → the fields of a request: what goes together, and what contradicts itself.

A field said twice with two values is an error with both lines to type. Words that mean
different things in training and serving (`8k`, `4bit`, `batch`) are settled once the
task is known. The same way, with every complaint passed over, says what was understood.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.locale import Locale
from bot.reading.alternatives import Cards, Entry, amounts_of, entries_of, groups_of
from bot.reading.blocks import BLOCKS, LAST, settle_blocks
from bot.reading.card_splits import SPREADS, settle_card_splits
from bot.reading.cards import cards_of, holds_slice, is_amount, is_host_memory
from bot.reading.clean import echo
from bot.reading.comparing import is_joined
from bot.reading.data_sets import settle_data_set
from bot.reading.facts import CardsSaid, Fact, NotUnderstoodError, Said
from bot.reading.in_use import BESIDE, settle_in_use
from bot.reading.keys import FULL_CONTEXT
from bot.reading.listing import LISTED
from bot.reading.methods import methods_of
from bot.reading.nodes import FIELDS as NODE_FIELDS
from bot.reading.nodes import settle_nodes, settle_split
from bot.reading.number_lists import COMPARE
from bot.reading.old_cards import settle_old_cards
from bot.reading.one_card import refuse_one_split
from bot.reading.optimizers import optimizer_of
from bot.reading.precision import settle_precision
from bot.reading.processor import settle_processor
from bot.reading.rooms import STATES, settle_rooms
from bot.reading.saving import SAVED
from bot.reading.scope import OTHER_KIND, PRICE
from bot.reading.servers import FORKS, bad_share, settle_servers, settle_version
from bot.reading.shared_lengths import TOGETHER, settle_together
from bot.reading.strategies import settle_strategy
from bot.reading.tasks import TAKEN, foreign_fields, imply_lora, settle_lengths, task_of
from bot.reading.totals import settle_total
from bot.reading.trained_formats import settle_trained_formats
from bot.reading.trainers import TRAINER, settle_trainers
from bot.reading.vocabulary import JOINING
from bot.reading.write import key_of_number, typed, write_line
from estimator import Catalog

Fields = dict[str, Any]

SENTENCE = 2  # filler words that make a line a sentence
WHOLE = ("rank", "batch", "total_batch", "seq", "accumulation", "context", "prompt", "new_tokens",
         "users", "world", "tp", "pp", "cp", "ep", "dp", "replicas", "group_size", "weight_bytes",
         "virtual_tokens", "active_blocks", "images", "image_tokens", "generations",
         "max_batched_tokens", "max_num_seqs", "max_model_len", "shared_prefix",
         "lora_adapters", "ubatch", "slots", "checkpoints_kept", "dataset_tokens",
         "dataset_samples")  # fmt: skip
COUNTED = (*WHOLE, "gpu_layers", "cpu_moe_layers", "rule_activation_bytes")
ELSEWHERE = ("gpus", "size", "half_name", "model", "precision", "weights", "flag", "length",
             "dataset", "ram", "optimizer", "optimizer_id", "optimizer_kind", "module",
             "ignored", "unused", "remarked", "refused", "pixels", "turned", "method_hint",
             "task_hint", "between", "speed",
             "device", "vram", "both_ways", "processor", "server", *SPREADS, TAKEN, OTHER_KIND,
             PRICE, "open", TRAINER, BLOCKS, LAST, SAVED, LISTED, BESIDE, TOGETHER, *STATES,
             *NODE_FIELDS, *JOINING)  # fmt: skip
OWN_OPTIMIZER = {"galore_adamw": "galore", "apollo": "apollo", "lomo": "lomo"}
BLAMED = {"size": "model", "half_name": "model", "precision": "weights", "length": "seq",
          "total_batch": "batch", "optimizer_kind": "optimizer",
          "optimizer_id": "optimizer"}  # fmt: skip


def compose(said: Said, catalog: Catalog, locale: Locale) -> Fields:
    """Every field that was said; raises NotUnderstoodError for contradictions."""
    return _Composer(said, catalog, locale, _raise).fields()


def understood(said: Said, catalog: Catalog, locale: Locale) -> Fields:
    """What can be said without contradiction: the first of each, and nothing impossible."""
    return _Composer(said, catalog, locale, lambda _: None).fields()


def _raise(error: NotUnderstoodError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class _Composer:
    """Puts one line's facts together; `complain` may raise, or pass over what is wrong."""

    said: Said
    catalog: Catalog
    locale: Locale
    complain: Callable[[NotUnderstoodError], None]

    def fields(self) -> Fields:
        fields: Fields = {}
        self._single_values(fields)
        self._targets(fields)
        settle_version(fields, self.said)
        bad_share(fields, self.said, self._wrong)
        self._method_and_task(fields)
        settle_servers(fields, self.said, self.catalog, self.locale)
        settle_trainers(fields, self.said, self.locale, self._conflict)
        settle_lengths(fields, self.said, partial(self._put, fields), self._conflict)
        settle_together(fields, self.said, self.locale)
        settle_precision(fields, self.said, self.locale, self._conflict, self._wrong)
        self._cards(fields)
        settle_old_cards(fields, self.said, self.catalog)
        settle_trained_formats(fields, self.said, self.locale)
        settle_in_use(fields, self.said, self.catalog, self.locale, self._wrong)
        settle_nodes(fields, self.said, self.locale, self._wrong)
        settle_split(fields, self.said, self.catalog, self.locale)
        settle_card_splits(fields, self.said, self.locale)
        settle_total(fields, self.said, self.locale, self._conflict, self._wrong)
        settle_processor(fields, self.said, self._wrong)
        refuse_one_split(fields, self.said, self._wrong)
        settle_strategy(fields, self.said, self.locale)
        settle_data_set(fields, self.said)
        self._refuse_foreign(fields)
        return fields

    def _single_values(self, fields: Fields) -> None:
        for name in dict.fromkeys(fact.field for fact in self.said.facts):
            if name not in ELSEWHERE:
                self._put(fields, name, self._one(name))
        if "teacher" in fields and fields.get("task") != "infer":
            fields.setdefault("objective", "distill")
        optimizer = optimizer_of(self.said, self._conflict)
        own = OWN_OPTIMIZER.get(optimizer or "")
        if optimizer is not None and (own is None or own != fields.get("method")):
            fields["optimizer"] = optimizer
        for fact in self.said.all_of("flag"):
            self._flag(fields, str(fact.value))
        for fact in self.said.all_of("both_ways"):
            names = (fact.text, f"no {fact.text}")
            self._wrong("ambiguous", "both_ways", names=names, word=echo(fact.text))
        for fact in self.said.all_of("between"):
            self._wrong("ambiguous", "between", key=echo(fact.text))

    def _method_and_task(self, fields: Fields) -> None:
        hints = self.said.all_of("method_hint")
        if hints and fields.get("task") != "infer":
            fields.setdefault("method", str(hints[0].value))
        if fields.get("task") == "infer" and all(
            fact.text.casefold() == "full" for fact in self.said.all_of("method")
        ):
            fields.pop("method", None)  # "the full 128k window"
        put = partial(self._put, fields)
        settle_blocks(fields, self.said, self.locale, put, self._conflict)
        task = task_of(fields, self.said)
        if task is not None:
            fields["task"] = task
        imply_lora(fields)

    def _flag(self, fields: Fields, flag: str) -> None:
        if flag == FULL_CONTEXT:
            return
        name = flag.removeprefix("no_")
        if fields.setdefault(name, flag == name) is not (flag == name):
            both = [f for f in self.said.all_of("flag") if f.value in (name, f"no_{name}")]
            self._conflict(both, name)

    def _put(self, fields: Fields, name: str, fact: Fact) -> None:
        """`fact` as the field `name`, a count as a whole number."""
        value = fact.value
        if name in COUNTED and isinstance(value, (int, float)):
            least = 1 if name in WHOLE else 0
            if not float(value).is_integer() or value < least:
                key, number = key_of_number(fact, name), f"{value:g}"
                self._wrong(
                    "bad_number", "not_whole", field=name, key=key, least=least, number=number
                )
                return
            value = int(value)
        fields[name] = value

    def _one(self, name: str) -> Fact:
        found = self.said.all_of(name)
        if name == "method":
            found = methods_of(found)
        if name == "engine_version" and any(fact.value in FORKS for fact in found[:2]):
            return found[0]
        if len(found) > 1:
            self._conflict(found)
        return found[0]

    def _conflict(self, found: list[Fact], flag: str | None = None) -> None:
        first, second = found[0], found[1]
        name = flag or BLAMED.get(first.field, first.field)
        message = self.locale.say_wrong("twice", first=echo(first.text), second=echo(second.text))
        names = [] if flag else [typed(fact.value) for fact in found[:3]]
        self.complain(NotUnderstoodError("contradiction", message, field=name, names=names))

    def _wrong(
        self,
        code: str,
        sentence: str,
        /,
        *,
        field: str | None = None,
        names: Sequence[str] = (),
        **values: object,
    ) -> None:
        message = self.locale.say_wrong(sentence, **values)
        self.complain(NotUnderstoodError(code, message, field=field, names=names))

    def _cards(self, fields: Fields) -> None:
        strict = self.said.fillers < SENTENCE
        settle_rooms(self.said, self.locale)
        found: list[tuple[Cards, str]] = []
        entries = self._without_memory(entries_of(self.said, self.catalog))
        entries = [self._without_host_memory(entry) for entry in entries]
        amounts, joint = amounts_of(entries), ""
        wrong: set[CardsSaid] = set()
        several = len(entries) > 1
        for entry in entries:
            joint = "either" if "either" in (joint, entry.joint) else entry.joint
            spoken = not strict and is_amount(entry.cards, self.catalog)
            if entry in amounts or (spoken and (several or not entry.cards.owned)):
                amount = f"{entry.cards.gigabytes:g} GB"
                if amount not in self.said.amounts:
                    self.said.amounts.append(amount)
                continue
            if entry.cards in wrong:
                continue
            try:
                cards = cards_of([entry.cards], self.catalog, self.locale, strict=True)
                found.append((cards, joint))
                joint = ""
            except NotUnderstoodError as error:
                wrong.add(entry.cards)
                self.complain(error)
        groups = groups_of(found, compared=bool(self.said.all_of(COMPARE)))
        listed = self.said.all_of(LISTED) or self.said.all_of("both")
        if len(groups) == 1 and not listed and holds_slice(groups[0], self.catalog):
            self._ask_which([[card] for card in groups[0]])
        elif len(groups) == 1:
            fields["gpus"] = groups[0]
        elif groups:
            self._ask_which(groups)

    def _ask_which(self, groups: list[Cards]) -> None:
        """`3090 or 4090`: one of them, or both; a line for each, the one with all last."""
        names = [write_line({"gpus": group}) for group in groups]
        together = write_line({"gpus": groups_of((group, "both") for group in groups)[0]})
        cards = " / ".join(f"`{name}`" for name in names)
        message = self.locale.say_wrong("which_cards", cards=cards)
        names.append(together)
        told = is_joined(self.said.facts)
        self.complain(
            NotUnderstoodError("ambiguous", message, field="gpus", names=names, told=told)
        )

    def _without_memory(self, entries: list[Entry]) -> list[Entry]:
        """`a 24gb gpu and 32 gb memory`: the one is a card's, the other the host's."""
        cards = [e for e in entries if e.cards.name or not e.cards.as_ram]
        if not cards:
            return entries
        for size in (e.cards.gigabytes or 0 for e in entries if e not in cards):
            self.said.facts.append(Fact("ram", size, f"{size:g} GB memory"))
        return cards

    def _without_host_memory(self, entry: Entry) -> Entry:
        if not (entry.cards.name and is_host_memory(entry.cards, self.catalog)):
            return entry
        gigabytes = entry.cards.gigabytes or 0
        self.said.facts.append(Fact("ram", gigabytes, f"{gigabytes:g} GB RAM"))
        return replace(entry, cards=replace(entry.cards, gigabytes=None))

    def _targets(self, fields: Fields) -> None:
        modules = self.said.all_of("module")
        if modules and "targets" in fields:
            self._conflict([*self.said.all_of("targets"), *modules])
        elif modules:
            fields["targets"] = [str(fact.value) for fact in modules]
        if saved := self.said.all_of(SAVED):
            fields["modules_to_save"] = [str(fact.value) for fact in saved]

    def _refuse_foreign(self, fields: Fields) -> None:
        """An engine, users or a cache's type said of training; an optimizer of serving."""
        if "task" not in fields:
            return
        for name in foreign_fields(fields):
            facts = [f for f in self.said.facts if BLAMED.get(f.field, f.field) == name]
            word = facts[0].text if facts else name
            sentence = "serving_word" if fields["task"] == "train" else "training_word"
            code = "contradiction"
            if fields["task"] == "train" and name == "engine":
                sentence = "generating_word"
            self._wrong(code, sentence, field=name, word=echo(word))
            with suppress(KeyError):
                del fields[name]
