"""How to tell whether a text is German: it has no word that only English phrases have."""

import re
from collections.abc import Iterable
from pathlib import Path

import spielwerk
from spielwerk.core.words import catalogue


def vocabulary(texts: Iterable[str]) -> set[str]:
    """The words of phrases or texts, in small letters; single letters and the names of places do not count, but the
    words that a place chooses from do."""
    said = (re.sub(r"\{\w+(:[^{}]*)?\}", lambda place: place[1] or "", text) for text in texts)
    return {word for text in said for word in re.findall(r"[^\W\d_]{2,}", text.lower())}


def german_words() -> set[str]:
    """The words of all German phrases, of games, agents and pages: some of them ("in", "an") are English, too."""
    package = Path(spielwerk.__file__).parent
    phrases = [phrase for file in package.rglob("words.de.toml") for phrase in catalogue(file.parent, "de").values()]
    return vocabulary([*phrases, *re.findall(r': "([^"]*)"', (package / "web/static/js/de.js").read_text("utf-8"))])


def english_words(folders: Iterable[Path]) -> set[str]:
    """The words of the English phrases in the catalogues of these folders that no German phrase has."""
    return vocabulary(phrase for folder in folders for phrase in catalogue(folder, "de")) - german_words()
