"""What of the counter needs no torch: settings, rounding, comparing, shapes, and its rows."""

from pathlib import Path

import pytest

from estimator import load_catalog
from tests.accuracy.counting.figures import COMPARED, Figures, difference, rounded, summary
from tests.accuracy.counting.settings import Settings, UnknownSettingError, read_rows
from tests.accuracy.counting.shapes import UnknownModelError, config_numbers, table

HERE = Path(__file__).parent
COUNTED = tuple(read_rows(HERE / "counted.jsonl"))
TRUTH = tuple(read_rows(HERE / "truth.jsonl"))
ROW = {"model": "m", "batch": 1, "seq": 8, "weights": "bf16", "optimizer": "adamw_foreach"}
SHAPES = {row.id: row.architecture for row in load_catalog().models.rows}
KINDS = {
    *("accumulation", "dora", "dpo", "gemma3", "gpt_oss", "int8", "long", "mla"),
    *("every_2", "modules_to_save", "selective"),
}
# What an architecture calls a number → what config.json may call it.
NAMES = {"hidden": ("hidden_size", "n_embd"), "depth": ("num_hidden_layers", "n_layer")}


@pytest.mark.parametrize(("size", "taken"), [(0, 0), (1, 512), (512, 512), (513, 1024)])
def test_sizes_are_whole_granules(size: int, taken: int) -> None:
    assert rounded(size) == taken


def test_settings_read_both_ways_of_saying() -> None:
    settings = Settings.of(ROW | {"checkpointing": True, "targets": ["q_proj"], "peak": 1})
    assert settings.checkpointing == "full"
    assert settings.optimizer == "adamw"
    assert settings.targets == ("q_proj",)
    assert not settings.packed
    assert Settings.of(ROW | {"method": "qlora"}).packed == "nf4_dq"


@pytest.mark.parametrize("strange", [{"bach": 1}, {"weights": "fp7"}, {"method": "lorra"}])
def test_a_strange_setting_is_an_error(strange: dict[str, object]) -> None:
    with pytest.raises(UnknownSettingError):
        Settings.of(ROW | strange)


def test_a_comparison_ends_with_its_worst_peak() -> None:
    numbers = dict.fromkeys(COMPARED, 200)
    counted = Figures(**numbers, peak_op="mm")
    found = difference({"id": "a", **numbers, "peak": 100}, counted)
    assert found.peak == 1
    assert list(summary([found]))[-1] == "overall n=1 max=100.0000%"


def test_every_row_can_be_counted_again() -> None:
    for row in (*COUNTED, *TRUTH):
        settings = Settings.of(row)
        assert config_numbers(settings.model, settings.layers)


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(UnknownModelError):
        config_numbers("nobody/nothing")


def test_a_model_is_cut_to_fewer_layers_only() -> None:
    assert config_numbers("openai-community/gpt2", 3)["n_layer"] == 3
    with pytest.raises(ValueError, match="12 layers"):
        config_numbers("openai-community/gpt2", 13)


def test_shapes_agree_with_the_catalogue() -> None:
    for id_, numbers in table().items():
        if id_ not in SHAPES:
            continue
        shape = SHAPES[id_]
        for field, names in NAMES.items():
            assert [numbers[n] for n in names if n in numbers] == [getattr(shape, field)], id_
        assert numbers["vocab_size"] == shape.vocabulary, id_
        assert numbers.get("tie_word_embeddings", shape.tied) == shape.tied, id_


def test_whole_models_have_their_published_parameters() -> None:
    for row in COUNTED:
        shape = SHAPES.get(row["model"])
        if shape is not None and row["layers"] == shape.depth:
            tower = shape.tower.parameters if shape.tower else 0  # rows are of the language model
            assert row["params"] == shape.parameters - tower, row["id"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_there_are_enough_rows_of_each_kind(kind: str) -> None:
    rows = [row for row in COUNTED if row["kind"] == kind]
    assert len(rows) >= 6
    assert len({row["id"] for row in rows}) == len(rows)


def test_figures_of_a_row_are_in_order() -> None:
    for row in COUNTED:
        assert row["kind"] in KINDS
        assert row["weights_bytes"] <= row["before_step"] <= row["after_forward"], row["id"]
        assert row["after_forward"] <= row["forward_peak"] <= row["fwd_bwd_peak"], row["id"]
        assert row["before_step"] <= row["after_backward"] <= row["optimizer_peak"], row["id"]
        assert row["peak"] == max(row["fwd_bwd_peak"], row["optimizer_peak"]), row["id"]
