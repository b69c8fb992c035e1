"""What a desk answers with, each made once it is needed: tables, who reads, who explains."""

from collections.abc import Callable
from functools import cached_property

from bot.correcting import Correcting
from bot.dispatching import Dispatching
from bot.explaining.explainer import Explainer
from bot.explaining.guide import Guide
from bot.locale import Locale
from bot.reading.complete import Completer
from bot.reading.read import Reader
from bot.reading.suggest import Suggester
from bot.tabling import Tables
from estimator import Catalog, load_catalog

Readers = Callable[[], Reader]


class Making(Dispatching):
    """Makes the parts of a desk."""

    def __init__(self, locale: Locale, catalog: Catalog | None, reader: Readers | None) -> None:
        """`catalog`, `reader`: what to answer with; None for the program's own."""
        self._locale = locale
        self._catalog = catalog
        self._reader = reader
        self._first: Making | None = None  # in whatever language: names are the same in all

    @property
    def locale(self) -> Locale:
        return self._locale

    @cached_property
    def catalog(self) -> Catalog:
        """The tables."""
        return self._catalog or load_catalog()

    @cached_property
    def reader(self) -> Reader:
        """Who reads; it takes a while to make."""
        return self._reader() if self._reader else Reader(self.locale, self.catalog)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.catalog, self.locale)

    @cached_property
    def _correcting(self) -> Correcting:
        return Correcting(self.reader, self.catalog, self.locale)

    @cached_property
    def suggester(self) -> Suggester:
        """Who lists what an option may become."""
        if self._first is not None:
            return self._first.suggester
        return Suggester(self.reader, self.locale, self.catalog)

    @cached_property
    def completer(self) -> Completer:
        """Who goes on from half a line."""
        if self._first is not None:
            return self._first.completer
        return Completer(self.reader, self.suggester, self.locale, self.catalog)

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.reader, self.catalog, self.locale)

    @cached_property
    def guide(self) -> Guide:
        """Who tells of topics, and lists them."""
        return Guide(self._explainer, self.locale)
