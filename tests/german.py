"""How to tell whether a text is German: it has no word that only English phrases have."""

import re
from collections.abc import Iterable
from pathlib import Path

from spielwerk.core.words import catalogue


def vocabulary(texts: Iterable[str]) -> set[str]:
    """The words of phrases or texts, in small letters; single letters and the names of places do not count."""
    return {word for text in texts for word in re.findall(r"[^\W\d_]{2,}", re.sub(r"\{\w+\}", "", text).lower())}


def english_words(folders: Iterable[Path]) -> set[str]:
    """The words of the English phrases in the catalogues of these folders that no German phrase has."""
    known: dict[str, str] = {}
    for folder in folders:
        known |= catalogue(folder, "de")
    return vocabulary(known) - vocabulary(known.values())
