"""The benchmarks of Jass run, and their intervals are right."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.xdist_group("jass")
FOLDER = Path(__file__).parents[1] / "benchmarks"


def benchmark(name):
    spec = spec_from_file_location(name, FOLDER / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_agreement_names_the_share_with_its_interval(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["jass_agreement", "rules", "random", "--judge", "dmcts:worlds=6", "--deals", "3"])
    benchmark("jass_agreement").main()
    told = {row[0]: row for row in rows(capsys.readouterr().out)[2:]}
    assert float(told["`rules`"][1]) > float(told["`random`"][1])
    low, high = map(float, told["`rules`"][2].split(" … "))
    assert low < float(told["`rules`"][1]) < high


def test_choices_of_a_deal_are_taken_together():
    """Deals in which everything is alike tell as much as one choice each."""
    interval = benchmark("jass_agreement").interval
    generator = np.random.default_rng(1)
    each = generator.random(400) < 0.7
    alike = interval(np.repeat(each, 20), np.repeat(np.arange(400), 20))
    assert alike == pytest.approx(interval(each, np.arange(400)), abs=0.002)
    low, high = interval(generator.random(8000) < 0.7, np.repeat(np.arange(400), 20))
    assert high - low < 0.4 * (alike[1] - alike[0])


def test_the_ladder_is_one_table(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["jass_ladder", "random", "rules:error=60", "--pairs", "20", "--workers", "1"])
    benchmark("jass_ladder").main()
    told = rows(capsys.readouterr().out)
    assert [row[0] for row in told[2:]] == ["`random`", "`rules:error=60.0`"]
    assert float(told[2][1]) < float(told[3][1]) < 0 and [row[3] for row in told[2:]] == ["20", "20"]
