"""The requests that are timed are requests, and each is another one."""

import json

from estimator import parse_request
from tests.speed.requests_a_second import Measured, measured, requests


def test_each_is_another_one_and_the_same_seed_makes_the_same() -> None:
    made = list(requests(500, seed=2))
    assert len(set(made)) == 500
    assert list(requests(500, seed=2)) == made
    assert list(requests(500, seed=3)) != made
    assert {parse_request(json.loads(line)).task for line in made} == {"train", "infer"}


def test_each_is_asked_once() -> None:
    found = measured(20, seed=1)
    assert found.requests == 20
    assert 10 < found.answered <= 20
    assert found.processor_s > 0


def test_a_second_of_a_core_is_no_second_of_the_clock() -> None:
    said = str(Measured(requests=4000, answered=3900, seconds=8, processor_s=4))
    assert "3,900 answered, 100 refused" in said
    assert "500 a second; 1,000 a second of a core" in said
