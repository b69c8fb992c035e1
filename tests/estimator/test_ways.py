"""Rows and columns of tables: names that the catalogue has, and each engine its own formats."""

import pytest

from estimator import By, load_catalog
from estimator.ways import FORMATS, OF_ENGINES, OPTIMIZERS, PACKED, SIZES, columns_of, rows_of

CATALOG = load_catalog()


def test_every_name_is_in_a_table() -> None:
    typed = {row.typed for row in CATALOG.sizes}
    assert set(SIZES) <= typed
    formats = {name for rungs in (PACKED, FORMATS, *OF_ENGINES.values()) for name, _ in rungs}
    assert {name for name in formats if CATALOG.formats.get(name) is None} == set()
    optimizers = {str(one["optimizer"]) for one in OPTIMIZERS if "optimizer" in one}
    assert optimizers <= set(CATALOG.optimizers.ids)


def test_sizes_grow() -> None:
    parameters = [next(r for r in CATALOG.sizes if r.typed == s).parameters for s in SIZES]
    assert parameters == sorted(parameters)


@pytest.mark.parametrize("engine", CATALOG.engines.ids)
def test_each_engine_has_columns_of_its_own(engine: str) -> None:
    columns = columns_of({"task": "infer", "engine": engine}, By.SIZES, CATALOG)
    assert 1 <= len(columns) <= 3
    assert len({column.name for column in columns}) == len(columns)


def test_what_begins_from_nothing_is_trained_whole() -> None:
    fields = {"task": "train", "objective": "pretrain"}
    assert [column.name for column in columns_of(fields, By.SIZES, CATALOG)] == ["full"]
    assert [row.name for row in rows_of(fields, By.METHODS, CATALOG)] == ["full"]


def test_the_widest_format_is_a_column_of_sizes_and_the_rows_of_a_model() -> None:
    fields = {"task": "infer", "find": "weights"}
    assert [c.find for c in columns_of(fields, By.SIZES, CATALOG)] == ["weights"]
    assert [c.find for c in columns_of(fields, By.FORMATS, CATALOG)] == ["context", "users"]


def test_what_is_named_is_no_choice() -> None:
    fields = {"task": "train", "method": "dora"}
    assert [row.name for row in rows_of(fields, By.METHODS, CATALOG)] == ["dora"]
    assert [c.name for c in columns_of(fields, By.SIZES, CATALOG)] == ["batch", "seq"]
    exl2 = {"task": "infer", "weights": "exl2", "bpw": 4.0}
    assert [row.name for row in rows_of(exl2, By.FORMATS, CATALOG)] == ["exl2 4"]
