"""Clean text → facts: what has a shape of its own is taken out first, the rest is walked.

flags ─▶ other models ─▶ hub ids ─▶ instances ─▶ atoms ─▶ facts
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.locale import Locale
from bot.reading.amounts_told import take_told
from bot.reading.anothers import take_anothers
from bot.reading.atoms import atoms_of
from bot.reading.bare_lengths import settle_bare_length
from bot.reading.card_parts import take_card_parts
from bot.reading.card_splits import take_splits
from bot.reading.clean import echo
from bot.reading.comparing import settle_caches, settle_idle_cache, settle_pairs
from bot.reading.device_cards import settle_devices
from bot.reading.drafts import take_draft, unknown_draft
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.file_names import take_file_names
from bot.reading.former_cards import take_former
from bot.reading.gloss import gloss
from bot.reading.host import take_host
from bot.reading.instances import instances_of, settle_platform, take_instances
from bot.reading.line import Line
from bot.reading.machine_parts import take_machine_parts
from bot.reading.machines import settle_machines
from bot.reading.mend import Mender, spell_out
from bot.reading.merging import take_merging
from bot.reading.models import take_hub_ids
from bot.reading.number_lists import COMPARE, settle_numbers
from bot.reading.only_memory import note_time
from bot.reading.other_programs import take_programs
from bot.reading.pasted import take_flags
from bot.reading.processors import take_processors
from bot.reading.prose import usual_words
from bot.reading.recalling import Recalling
from bot.reading.scan import Scanner
from bot.reading.scope import take_prices
from bot.reading.shared_lengths import take_together
from bot.reading.teacher import take_teacher
from bot.reading.trainers import settle_compared_trainers
from bot.reading.unknown_formats import refuse_unknown_formats
from bot.reading.vocabulary import Vocabulary
from bot.reading.whatfits import OPEN, SAID_FILLERS, take_fit
from estimator import Catalog


@dataclass(frozen=True, slots=True)
class Scanned:
    """Everything found in a line; `strange` are Hub ids that no table has.

    `outdone`: by option, the words of the line that it said otherwise. `fit`: a table is asked
    for, by the line's first word or by the command. `shape`: a config.json in place of a model.
    """

    said: Said = field(default_factory=Said)
    strange: list[Fact] = field(default_factory=list)
    outdone: dict[str, list[str]] = field(default_factory=dict)
    fit: bool = False
    shape: Mapping[str, Any] | None = None


class Walk:
    """Scans lines of one language against one catalogue."""

    def __init__(self, locale: Locale, catalog: Catalog, vocabulary: Vocabulary) -> None:
        self._locale = locale
        self._catalog = catalog
        self._vocabulary = vocabulary
        self._instances = instances_of(catalog)
        self._kept = frozenset(vocabulary.parts) | vocabulary.families
        self._mender = Mender(frozenset(vocabulary.words), vocabulary.families)

    def scan(self, plain: str, *, compares: bool = False) -> Scanned:
        """All facts of a line, put to no request yet; never raises.

        `compares`: as if the line began with the word, so that `bs 1 2 4` is a list.
        """
        said = Said()
        if compares:
            said.add(COMPARE, "", "")
        plain, fit = take_fit(gloss(plain, said, self._kept))
        note_time(plain, said)
        plain = take_told(take_former(plain, said), said)
        plain = take_anothers(plain, self.scan, self._locale, said)
        plain = take_merging(plain, self._locale, said)
        plain = take_programs(plain)
        plain = take_card_parts(take_together(plain, said), self._locale, said)
        plain = take_machine_parts(plain, self._instances, self._catalog, self._locale, said)
        plain = usual_words(plain, self._vocabulary.families, self._locale, said)
        plain = refuse_unknown_formats(plain, self._vocabulary, self._catalog, self._locale, said)
        plain = take_prices(take_processors(plain, self._locale, said), said)
        plain = spell_out(take_host(plain, said), said)
        plain = take_splits(plain, said)
        plain = take_flags(plain, self._vocabulary, self._locale, said)
        plain = take_file_names(plain, self._catalog, self._vocabulary.families, self._locale, said)
        alone = take_draft(plain, self._catalog, said)
        if unknown := unknown_draft(alone, self._vocabulary):
            message = self._locale.say_wrong("unknown_model", name=echo(unknown))
            said.faults.append(NotUnderstoodError("unknown_name", message, field="draft"))
        untaught = take_teacher(alone, self._catalog, self._locale, said)
        source, strange = take_hub_ids(
            untaught, self._catalog, self._vocabulary, self._locale, said
        )
        source = take_instances(source, self._instances, self._catalog, self._locale, said)
        atoms = list(atoms_of(source))
        line = Line(atoms, source, Recalling(self._vocabulary), self._locale, said)
        Scanner(line, self._mender, self._vocabulary.families).run()
        settle_idle_cache(said)
        settle_numbers(said)
        settle_bare_length(said, self._locale)
        settle_caches(said)
        settle_pairs(said)
        settle_compared_trainers(said)
        settle_machines(said, self._catalog)
        settle_devices(said, self._catalog, self._locale)
        settle_platform(said, self._catalog, self._locale)
        said.fillers += SAID_FILLERS * len(said.all_of(OPEN))
        return Scanned(said, strange, fit=fit)
