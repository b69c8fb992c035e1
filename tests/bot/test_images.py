"""Images in each sequence, and images of a data set."""

import pytest

from bot.locale import load_locale
from bot.reading.read import Reader
from bot.reading.reading import Reading
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())


def read(line: str) -> Reading:
    """The reading of `line`, which its canonical line says as well."""
    reading = READER.read(line)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)
    return reading


VISION = "qwen2.5-vl-7b"


@pytest.mark.parametrize("task", ["train", "infer"])
@pytest.mark.parametrize(
    ("words", "images"),
    [
        ("4 images", 4),
        ("images 4", 4),
        ("images=4", 4),
        ("1 image", 1),
        ("two images", 2),
        ("2 images per sample", 2),
        ("2 images per prompt", 2),
        ("100 images per sample", 100),
        ("num_images: 3", 3),
        ("8 pictures", 8),
    ],
)
def test_images_in_each_sequence(task: str, words: str, images: int) -> None:
    reading = read(f"{task} {VISION} {words}")
    assert reading.fields["images"] == images
    assert not reading.notes


@pytest.mark.parametrize(
    "words", ["10k images dataset", "10k images", "500 images", "20 images dataset", "2M images",
              "500 image pairs", "40 images data"],
)  # fmt: skip
def test_images_of_a_data_set_are_in_no_sequence(words: str) -> None:
    reading = read(f"train {VISION} lora {words}")
    assert "images" not in reading.fields
    assert "without effect" in reading.notes[0]


def test_images_before_a_model_that_sees_none_are_left_aside() -> None:
    reading = read("train 7B lora 4 images")
    assert "images" not in reading.fields
    assert "`4 images`" in reading.notes[0]
    assert read("train 7B lora images 4").fields["images"] == 4  # refused with its reason, behind


def test_tokens_of_an_image_are_said_too() -> None:
    fields = read(f"infer {VISION} 4 images, image tokens 256").fields
    assert (fields["images"], fields["image_tokens"]) == (4, 256)
    assert read(f"infer {VISION} 2 images 256 tokens per image").fields["image_tokens"] == 256


def test_images_without_a_number_say_nothing() -> None:
    assert "images" not in read(f"train {VISION} lora on images bs 2").fields


@pytest.mark.parametrize("size", ["350M", "7B", "1.5B", "8x7B"])
def test_a_size_before_images_with_a_number_is_a_size(size: str) -> None:
    fields = read(f"train {size} images=4").fields
    assert (fields["model"], fields["images"]) == (size, 4)


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("3 images of 1024 tokens", {"images": 3, "image_tokens": 1024}),
        ("3 images per prompt of 1k tokens", {"images": 3, "image_tokens": 1024}),
        ("2 images at 256 tokens ctx 8k", {"images": 2, "image_tokens": 256, "context": 8192}),
        ("2 images with 256 tokens each", {"images": 2, "image_tokens": 256}),
        ("2 images, 4096 tokens", {"images": 2, "context": 4096}),
        ("2 images 4096 tokens", {"images": 2, "context": 4096}),
    ],
)
def test_a_length_of_images_is_no_window(words: str, fields: dict[str, int]) -> None:
    known = {"task": "infer", "model": "google/gemma-3-27b-it"}
    assert dict(read(f"infer gemma 3 27b {words}").fields) == known | fields


def test_a_length_of_a_data_set_of_images_is_that_of_a_sequence() -> None:
    assert read("train 7b 10k images of 1024 tokens").fields["seq"] == 1024


def test_images_with_their_length_beside_a_model_that_sees_none_are_left_aside() -> None:
    reading = read("infer 8b 3 images of 1024 tokens")
    assert dict(reading.fields) == {"task": "infer", "model": "8B"}
    assert "`3 images`, `1024 tokens`" in " ".join(reading.notes)
