"""Numbers that change in the course of a run."""

import pytest

from spielwerk.core.errors import SpielwerkError
from spielwerk.learn.schedule import schedule


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.5", {0.0: 0.5, 0.3: 0.5, 1.0: 0.5}),
        ("1..0", {0.0: 1.0, 0.25: 0.75, 1.0: 0.0, 1.2: 0.0}),
        ("0.2/0.1", {0.0: 0.2, 0.49: 0.2, 0.5: 0.1, 1.0: 0.1}),
        ("1@0.6/1..0", {0.0: 1.0, 0.59: 1.0, 0.8: 0.5, 1.0: 0.0}),
        ("3e-4..1e-4@0.5/0", {0.0: 3e-4, 0.25: 2e-4, 0.5: 0.0}),
    ],
)
def test_numbers_follow_their_line(text, numbers):
    made = schedule("rate", text, 0.0, 1.0)
    assert {done: made.at(done) for done in numbers} == pytest.approx(numbers)


@pytest.mark.parametrize(
    "text", ["", "high", "1..", "..1", "nan", "inf", "0.1@0.6/0.2@0.5/0.3", "0.1@1/0.2", "2", "1..-1"]
)
def test_what_is_no_schedule_is_named(text):
    with pytest.raises(SpielwerkError, match="rate="):
        schedule("rate", text, 0.0, 1.0)
