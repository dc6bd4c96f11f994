"""Pseudonyms: who played is told after a game, but not with a name by which somebody could be found again elsewhere."""

import hashlib

NOUNS = """
    Amsel Anker Apfel Bach Balken Bambus Birke Blech Brille Brunnen Deckel Distel Drossel Eimer Eiche Erbse
    Fackel Falter Farn Feder Fenster Ferkel Flocke Floss Forelle Gabel Garten Giebel Glocke Hafen Hammer Harke
    Hecht Himbeere Hobel Honig Hummel Igel Insel Jacke Kabel Kachel Kamin Kanne Karotte Kessel Kiesel Kirsche
    Klinke Knopf Kranich Krug Kuchen Lampe Laterne Leiter Linse Luchs Mandel Mantel Marder Moos Motor Mulde
    Nagel Nebel Nelke Ofen Otter Pappel Pfeffer Pinsel Pirol Pudding Quelle Quitte Rakete Rettich Riegel Roller
    Rose Rucksack Salbei Sattel Schaukel Schnecke Segel Senf Sichel Specht Spule Stiefel Taube Teller Tinte
    Tonne Trommel Tulpe Turm Ufer Unke Vase Veilchen Waage Wald Walnuss Weide Wiesel Wolke Wurzel Zange Zeisig
    Ziegel Zitrone Zwiebel
"""
WORDS = NOUNS.split()


def pseudonym(secret: str, salt: int) -> str:
    """Three words that follow from a key and the server's salt, and do not lead back to the key."""
    number = int.from_bytes(hashlib.sha256(f"{salt}/{secret}".encode()).digest())
    words = []
    for _ in range(3):
        number, place = divmod(number, len(WORDS))
        words.append(WORDS[place])
    return "-".join(words)


def pseudonyms(secrets: list[str], salt: int) -> list[str]:
    """A name for each, no two the same."""
    names: list[str] = []
    for secret in secrets:
        name = pseudonym(secret, salt)
        while name in names:
            secret += "'"
            name = pseudonym(secret, salt)
        names.append(name)
    return names
