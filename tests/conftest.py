"""Tests never touch the user's results and models; they share one cache of compiled code."""

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPIELWERK_STORE", str(tmp_path / "results.sqlite"))
    monkeypatch.setenv("SPIELWERK_MODELS", str(tmp_path / "models"))
