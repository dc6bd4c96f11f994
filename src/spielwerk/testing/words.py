"""Languages: who ships a catalogue ships it whole."""

import ast
from pathlib import Path

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.looks import looking
from spielwerk.core.position import SPECTATOR
from spielwerk.core.words import Words, catalogue, overheard, places, speaking
from spielwerk.testing.moments import both_views, said_of


def check_words(game: Game, seed: int, most: int = 400, every: int = 5) -> None:
    """A game that ships another language speaks it throughout: whatever people read in a random match is translated."""
    check_names(game)
    check_catalogues(game.say)
    for language in game.say.languages:
        with speaking(language), overheard() as heard:
            spoken_facts(game)
            spoken_match(game, seed, most, every)
        missing = sorted(phrase for phrase, known in heard.items() if not known)
        assert not missing, f"{game.spec.title}: words.{language}.toml lacks {missing}"


def check_names(game: Game) -> None:
    """Every variant, option and look has a name and a sentence for people, and they fit together."""
    spec = game.spec
    assert spec.offered in ("", *spec.variants), f"{spec.title}: '{spec.offered}' is offered, which is no variant"
    for name, variant in spec.variants.items():
        assert variant.title and variant.help, (
            f"{spec.title}: variant {name} needs a title and a sentence for people: Variant(title, help, …)"
        )
        unknown = sorted(set(variant.options) - {option.name for option in spec.options})
        assert not unknown, f"{spec.title}: variant {name} sets {unknown}, which are no options"
    for option in spec.options:
        assert option.title and option.help, (
            f"{spec.title}: option {option.name} needs a title and a sentence for people: Option(…, help, title)"
        )
        count = option.high - option.low + 1
        fits = not option.choices or len(set(option.words)) == count
        assert fits, f"{spec.title}: option {option.name} needs {count} different choices, not {option.choices}"
    for look in spec.looks:
        named = bool(look.title) and len(look.choices) > 1 and all(look.choices.values())
        assert named, f"{spec.title}: look {look.name} needs a title and two choices or more, each with a name"
    live = {option.name for option in spec.options} & set(spec.retired)
    assert not live, f"{spec.title}: {sorted(live)} cannot be options and retired ones at once"
    assert spec.chance or not spec.luck, f"{spec.title}: there is no chance, so it can bring no {spec.luck}"


def spoken_facts(game: Game) -> list[str]:
    """Title, options, variants, looks, strengths and moves in the language that is spoken."""
    spec = game.spec
    phrases = [spec.summary, *(rung.strength for rung in spec.ladder), *filter(None, [spec.luck])]
    for option in spec.options:
        phrases += [option.title, option.help, *option.choices]
    for variant in spec.variants.values():
        phrases += [variant.title, variant.help]
    for look in spec.looks:
        phrases += [look.title, *look.choices.values()]
    texts = [game.title, *map(game.say, phrases)]
    texts += [game.strength_measured(place) for place in range(len(spec.ladder))]
    texts += [game.option_set(option, number) for option in spec.options for number in (option.low, option.high)]
    for chosen in every_look(game):
        with looking(chosen):
            texts += [game.move_name(action) for action in range(spec.actions)]
    return texts


def every_look(game: Game) -> list[dict[str, str]]:
    """Every choice of every look once."""
    return [{}] + [{look.name: choice} for look in game.spec.looks for choice in look.choices]


def spoken_match(game: Game, seed: int, most: int, every: int = 1) -> list[str]:
    """What everybody hears and sees in a random match: events, moments and news, text pictures and SVGs."""
    position, rng, texts = game.opening(seed), spawn(seed, 96), []
    before = position.copy()
    for number in range(most):
        for pair in both_views(before, position):
            moment, news = said_of(*pair)
            texts += [*news, *([moment.title, *(cell for row in moment.table for cell in row)] if moment else ())]
        before = position.copy()
        if not number % every or position.over:
            views = [position.view(seat) for seat in (*range(game.seats), SPECTATOR)]
            for chosen in every_look(game):
                with looking(chosen):
                    texts += [picture for view in views for picture in (view.text, view.svg)]
        if position.over:
            break
        if position.actor_set == 0:
            event = position.roll_noted()
            texts += [game.heard(event, seat) or "" for seat in (*range(game.seats), SPECTATOR)]
            continue
        legal = {seat: position.legal(seat) for seat in position.actors}
        position.apply({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
    return texts


def check_catalogues(words: Words) -> None:
    """Every catalogue of a folder translates each phrase that the folder's modules say, with the same places."""
    for language in words.languages:
        folder = words.folders[0]
        known = catalogue(folder, language)
        for phrase, translated in known.items():
            same = places(phrase) == places(translated)
            assert same, f"{folder.name}/words.{language}.toml: '{phrase}' and '{translated}' have different places"
        everywhere = set().union(*(catalogue(each, language) for each in words.folders))
        missing = sorted(phrases_in(folder) - everywhere)
        assert not missing, f"{folder.name}/words.{language}.toml lacks {missing}"


def phrases_in(folder: Path) -> set[str]:
    """The phrases that the modules of a folder say: `say("…")`, or `phrase = "…"` before it."""
    found: set[str] = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            written: ast.expr | None = None
            if isinstance(node, ast.Call) and node.args:
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                written = node.args[0] if called == "say" else None
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "phrase":
                written = node.value
            arms = (written.body, written.orelse) if isinstance(written, ast.IfExp) else (written,)
            found |= {arm.value for arm in arms if isinstance(arm, ast.Constant) and isinstance(arm.value, str)}
    return found
