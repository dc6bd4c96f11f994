"""A word after the game, because nobody should win or lose in silence."""

from spielwerk.core.words import ENGLISH, language

WON: dict[str, tuple[str, ...]] = {
    "en": (
        "Last one rolling. The wall sends its regards.",
        "Did somebody order an open road? It is all mine now.",
        "I would offer you a rematch, but where would you park?",
        "Six rounds to plan the jump, one to enjoy the view.",
        "Nothing personal: you were simply in your own way.",
    ),
    "de": (
        "Als Letzter auf der Bahn. Die Wand lässt grüßen.",
        "Hat jemand freie Fahrt bestellt? Die gehört jetzt mir.",
        "Gern eine Revanche, aber wo wolltest du parken?",
        "Sechs Runden den Sprung geplant, eine die Aussicht genossen.",
        "Nicht persönlich nehmen: Du standest dir selbst im Weg.",
    ),
}
LOST: dict[str, tuple[str, ...]] = {
    "en": (
        "That wall was not there a moment ago, I could swear.",
        "Well driven! I shall be studying your tail lights.",
        "I was going to turn left. Tell that to the wall.",
        "My brakes send a letter of apology. See you next game.",
        "A fine trail you drew there, and right where I wanted to go.",
    ),
    "de": (
        "Diese Wand stand eben noch nicht da, das schwöre ich.",
        "Stark gefahren! Deine Rücklichter sehe ich mir genauer an.",
        "Ich wollte ja links abbiegen. Sag das mal der Wand.",
        "Meine Bremsen bitten um Entschuldigung. Bis zum nächsten Spiel.",
        "Eine schöne Spur, und genau da, wo ich hinwollte.",
    ),
}
DRAWN: dict[str, tuple[str, ...]] = {
    "en": ("Let us call it a group photo.", "We meet again, in the very same cell."),
    "de": ("Nennen wir es ein Gruppenbild.", "So sieht man sich wieder: auf demselben Feld."),
}


def remark(kind: dict[str, tuple[str, ...]], number: int) -> str:
    """One of the remarks, in the language that is spoken."""
    lines = kind.get(language(), kind[ENGLISH])
    return lines[number % len(lines)]
