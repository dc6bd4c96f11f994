"""Ganz schön clever for people: the sheet as SVG and text, headlines, news and moments, statistics."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.looks import looking
from spielwerk.core.position import SPECTATOR, Position, States, View
from spielwerk.core.words import overheard, speaking
from spielwerk.games.clever import profile
from spielwerk.games.clever.drawing import PALETTES
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.kernel.thesis import areas_of
from spielwerk.games.clever.picture import OVER, SLIM, WIDE, Picture
from spielwerk.games.clever.sheets import BLUE_X, ORANGE_4, ORANGE_5, SHEETS, YELLOW_X
from spielwerk.games.clever.situation import RATINGS, TIERS, headline, pass_name, rating, seat_of, subline

pytestmark = pytest.mark.xdist_group("clever")

VARIANTS = tuple(registry.game_class("clever").spec.variants)
FULL = "w3 y3 b4 g5 o2 p6"


def table(seats: int = 1, variant: str | None = None) -> Position:
    """Seat 0 is about to roll for the first time."""
    position = registry.game("clever", seats, variant).opening(1)
    return position.happen("seat 0 begins") if seats > 1 else position


def walk(position: Position, seed: int) -> Iterator[tuple[Position, Position]]:
    """A random match, event by event: before and after."""
    rng = spawn(seed, 3)
    while not position.over:
        before = position.copy()
        if position.actor_set == 0:
            position.roll()
        else:
            legal = {seat: position.legal(seat) for seat in position.actors}
            position.apply({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
        yield before, position.copy()


def elements(svg: str, attribute: str) -> dict[str, ElementTree.Element]:
    found = [one for one in ElementTree.fromstring(svg).iter() if attribute in one.attrib]
    named = {one.attrib[attribute]: one for one in found}
    assert len(named) == len(found), "each only once"
    return named


def drawn_actions(view: View) -> set[int]:
    return {int(action) for action in elements(view.svg, "data-action")}


# --- what is legal can be clicked ---


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_legal_action_is_drawn_once(seats: int, variant: str) -> None:
    position = registry.game("clever", seats, variant).opening(seats)
    for number, (_, after) in enumerate(walk(position, 7)):
        if number % (5 * seats) and not after.over:
            continue
        with speaking("de" if number % 2 else "en"):
            for seat in (*range(seats), SPECTATOR):
                view = after.view(seat)
                assert drawn_actions(view) == set(view.legal)
                assert view.text.count("\n") >= seats
    assert position.over


def test_buttons_are_named_and_reached_by_keys() -> None:
    view = table().happen(FULL).view(0)
    for action, element in elements(view.svg, "data-action").items():
        title = next(element.iter("{http://www.w3.org/2000/svg}title")).text
        assert element.attrib["role"] == "button" and element.attrib["tabindex"] == "0"
        assert title == element.attrib["aria-label"] and title
        if int(action) >= terms.IN_YELLOW:
            assert title == view.game.move_name(int(action))


def test_a_cell_for_two_dice_has_two_halves() -> None:
    """Yellow 3 by the yellow or the white die, blue 7 by the blue or the white one, orange 2 or 3."""
    view = table().happen(FULL).view(0)
    found = elements(view.svg, "data-action")
    pairs = [(terms.IN_YELLOW, terms.WHITE_IN_YELLOW), (terms.IN_BLUE, terms.IN_BLUE + 1)]
    pairs += [(terms.IN_ORANGE, terms.IN_ORANGE + 1), (terms.IN_PURPLE, terms.IN_PURPLE + 1)]
    for coloured, white in pairs:
        left, right = (rectangle(found[str(action)]) for action in (coloured, white))
        assert left["y"] == right["y"] and left["width"] == right["width"] and left["fill"] != right["fill"]
        assert float(right["x"]) - float(left["x"]) == pytest.approx(float(left["width"]) + 2, abs=0.2)
    marks = {action: "".join(found[str(action)].itertext()) for pair in pairs for action in pair}
    assert marks[terms.IN_ORANGE].endswith("2") and marks[terms.IN_ORANGE + 1].endswith("3")
    assert marks[terms.IN_BLUE].endswith("7") and marks[terms.IN_BLUE + 1].endswith("7")


def rectangle(element: ElementTree.Element) -> dict[str, str]:
    return dict(next(element.iter("{http://www.w3.org/2000/svg}rect")).attrib)


def narrowed(element: ElementTree.Element) -> dict[str, str]:
    """The rectangle of an element as a phone draws it."""
    shape = rectangle(element)
    return shape | dict(part.split("=") for part in shape.get("data-narrow", "").split("; ") if part)


def test_below_a_bonus_one_sees_the_number_that_it_crosses() -> None:
    position = table().happen(FULL)
    position.state["owed"][0, 0, BLUE_X - YELLOW_X] = 1
    drawn = elements(position.view(0).svg, "data-action")
    for place, number in enumerate(SHEETS[0].blue):
        if number:
            cell = drawn[str(terms.X_IN_BLUE + place)]
            assert str(number) in {text.text for text in cell.iter("{http://www.w3.org/2000/svg}text")}


def test_several_bonuses_of_one_cell_share_it() -> None:
    position = table().happen(FULL)
    position.state["owed"][0, 0, [ORANGE_4 - YELLOW_X, ORANGE_5 - YELLOW_X]] = 1
    view = position.view(0)
    assert drawn_actions(view) == {terms.BONUS_IN_ORANGE, terms.BONUS_IN_ORANGE + 1}
    assert headline(view) == "Take your bonus: orange 4, orange 5"


@pytest.mark.parametrize("seats", [1, 4])
def test_on_a_phone_a_finger_finds_what_is_legal(seats: int) -> None:
    """The picture is about as wide as the screen there, so 44 of its units are 44 pixels."""
    position = registry.game("clever", seats).opening(2)
    for before, _ in walk(position, 5):
        for seat in before.actors:
            for action, element in elements(before.view(seat).svg, "data-action").items():
                shape = narrowed(element)
                least = 42 if int(action) in range(terms.IN_YELLOW, terms.WASTE) else 44
                assert float(shape["width"]) >= least and float(shape["height"]) >= least, (action, shape)
                assert float(shape["x"]) >= 0 and float(shape["x"]) + float(shape["width"]) <= 364


def test_two_buttons_with_long_words_fit_a_phone() -> None:
    """In German a re-roll and a forfeited roll are longer than the picture is wide."""
    both = 0
    for seed in range(12):
        for before, _ in walk(registry.game("clever", 1, "official,wasted_picks=0").opening(seed), seed):
            if not {terms.PASS, terms.AGAIN} <= set(before.legal(0) if before.actors else ()):
                continue
            both += 1
            with speaking("de"):
                drawn = elements(before.view(0).svg, "data-action")
            shapes = [narrowed(drawn[str(action)]) for action in (terms.AGAIN, terms.PASS)]
            ends = [(float(shape["x"]), float(shape["x"]) + float(shape["width"])) for shape in shapes]
            assert 0 <= ends[0][0] < ends[0][1] < ends[1][0] < ends[1][1] <= 364, ends
    assert both


def test_dark_page_narrow_page_and_colours() -> None:
    position = table(2).happen(FULL)
    root = ElementTree.fromstring(position.view(0).svg)
    assert "viewBox=0 0 364" in root.attrib["data-narrow"]
    for choice, palette in PALETTES.items():
        with looking({"colours": choice}):
            svg = position.view(0).svg
        style = svg[svg.index("<style>") : svg.index("</style>")]
        for colour in (*palette.band, *palette.on_band, *palette.ink, *palette.paper):
            assert f'[data-theme="dark"] .clever [fill="{colour}"]' in style
        assert svg.count(f'"{palette.band[0]}"') > 2


def test_the_room_of_the_dice_is_given_up_when_the_match_is_over() -> None:
    position = table()
    before = ElementTree.fromstring(position.view(0).svg).attrib["viewBox"]
    for _ in walk(position, 1):
        pass
    after = ElementTree.fromstring(position.view(0).svg).attrib
    heights = [float(box.split()[3]) for box in (before, after["viewBox"])]
    assert heights[0] - heights[1] == WIDE.sheet - OVER > 90
    assert "viewBox=0 0 364" in after["data-narrow"]


def test_numbers_stay_in_their_cells_on_a_phone() -> None:
    position = table().happen(FULL)
    position.state["orange_count"][0, 0] = 11
    position.state["orange"][0, 0] = 6
    drawn = Picture(position.view(0), seat_of(position.view(0), 0), SLIM, PALETTES["box"], frozenset()).sheet()
    root = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{drawn}</svg>')
    groups = [one for one in root.iter() if one.attrib.get("data-piece", "").startswith("orange-0-")]
    texts = [next(one.iter("{http://www.w3.org/2000/svg}text")) for one in groups]
    assert {text.text for text in texts} == {"6", "12", "18"}
    assert all(float(text.attrib["font-size"]) * 0.56 * len(text.text or "") < 25 for text in texts), drawn


# --- words ---


def test_the_headline_says_what_is_to_be_done() -> None:
    position = table(2)
    assert headline(position.view(0)) == "Seat 1 rolls"
    position.happen(FULL)
    assert headline(position.view(0)) == "Pick a die" and headline(position.view(1)) == "Seat 1 picks a die"
    assert subline(position.view(1)) == "round 1 of 6 · roll 1 of 3 · seat 1 is active"
    with speaking("de"):
        assert headline(position.view(1)) == "Platz 1 wählt einen Würfel"
    position.apply("purple")  # all others are lower
    tray = position.view(1)
    assert headline(tray) == "Take a die from the tray" and pass_name(tray) == "take no die"
    position.apply({1: "orange"})
    assert headline(position.view(0)) == "Seat 2 rolls"


def test_the_headline_names_a_bonus() -> None:
    position = table().happen(FULL)
    position.state["owed"][0, 0, BLUE_X - YELLOW_X] = 1
    view = position.view(0)
    assert headline(view) == "Take your bonus: blue X"
    assert drawn_actions(view) == set(range(terms.X_IN_BLUE + 1, terms.X_IN_GREEN))  # 11 cells
    position.state["owed"][0, 0] = 0
    position.state["owed"][0, 0, terms.FREE] = 1
    view = position.view(0)
    assert headline(view) == "Choose a bonus: X or 6"
    assert {terms.FREE_YELLOW, terms.FREE_BLUE} < drawn_actions(view)


def test_passing_has_a_name_for_every_moment() -> None:
    names = {"pick": 0, "tray": 0, "add": 0}
    for seed in range(12):
        position = registry.game("clever", 1).opening(seed)
        for before, _ in walk(position, seed):
            view = before.view(0)
            if terms.PASS not in view.legal:
                continue
            phase, step = int(view.state["phase"][0]), int(view.state["step"][0, 0])
            kind = "pick" if phase == terms.PICK else "tray" if (phase, step) == (terms.TRAY, 0) else "add"
            said = {"pick": "forfeit the roll", "tray": "take no die", "add": "no more +1"}[kind]
            assert elements(view.svg, "data-action")["0"].attrib["aria-label"] == said
            names[kind] += 1
    assert all(names.values()), names


def test_the_rating_follows_the_scale() -> None:
    assert [rating(points) for points in (0, 139, 140, 159, 160, 259, 260, 280, 281, 400)] == [
        0, 0, 1, 1, 2, 6, 7, 7, 8, 8,
    ]  # fmt: skip
    assert len(RATINGS) == len(TIERS) + 1
    with speaking("de"), overheard() as heard:
        assert len({registry.game_class("clever").say(word) for word in RATINGS}) == len(RATINGS)
    assert all(heard.values())
    for language in ("en", "de"):
        with speaking(language):
            rules_text = registry.game_class("clever").rules()
            for word in RATINGS:
                assert re.search(rf"\| {registry.game_class('clever').say(word)} \|", rules_text), word


# --- what happened ---


def test_news_tell_what_came_by_itself() -> None:
    position = table().happen(FULL)
    state = position.state
    state["orange_count"][0, 0] = 7
    state["orange"][0, 0, :7] = 1
    before = position.copy()
    position.apply("orange")  # the eighth cell has a fox
    news = position.game.news(before.view(0), position.view(0))
    assert news == ["Bonus for seat 1: fox"]
    moment = position.game.moment(before.view(0), position.view(0))
    assert moment is not None and moment.title == "Bonus for seat 1: fox" and moment.seconds > 0


def test_news_tell_of_chains_and_of_what_is_lost() -> None:
    position = table().happen("w3 y3 b4 g5 o2 p6")
    state = position.state
    state["yellow"][0, 0] |= 0b0110  # 6 and 5 of the first row; its last place is crossed in print
    state["blue"][0, 0] = terms.ALL_BLUE & ~(1 << 1)  # the 2 alone is open
    before = position.copy()
    position.apply("yellow 1-1")  # blue X, which completes a row and a column: orange 5, green X
    news = position.game.news(before.view(0), position.view(0))
    assert news == ["Bonus for seat 1: blue X, orange 5, green X"]
    assert position.game.moment(before.view(0), position.view(0)) is not None
    full = before.copy()
    full.state["blue"][0, 0] = terms.ALL_BLUE
    before = full.copy()
    full.apply("yellow 1-1")
    assert "Seat 1 cannot use blue X" in full.game.news(before.view(0), full.view(0))


def test_news_tell_of_rounds_and_forfeited_rolls() -> None:
    heard: set[str] = set()
    moments: set[str] = set()
    for seed in range(6):
        position = registry.game("clever", 1, "official,wasted_picks=0").opening(seed)
        for before, after in walk(position, seed):
            heard |= set(after.game.news(before.view(0), after.view(0)))
            moment = after.game.moment(before.view(0), after.view(0))
            moments |= {moment.title} if moment else set()
    assert {"Round 2, for everybody: +1", "Round 3, for everybody: re-roll"} <= heard
    assert "Round 4, for everybody: any X, or any 6" in moments
    assert "No die fits: the roll is forfeited" in heard


def test_a_drawn_bonus_is_not_told_as_a_choice() -> None:
    position = registry.game("clever", 1, "thesis").opening(3)
    told = [line for before, after in walk(position, 3) for line in after.game.news(before.view(0), after.view(0))]
    assert "Round 3, for everybody: re-roll" in told and not any(line.startswith("Round 4") for line in told)


# --- statistics ---


def finals_of(game: Game, count: int) -> States:
    finals = []
    for seed in range(count):
        position = game.opening(seed)
        for _ in walk(position, seed):
            pass
        finals.append(position.state)
    return np.concatenate(finals)


@pytest.mark.parametrize(("seats", "variant"), [(1, "official"), (3, "harvest"), (1, "thesis")])
def test_a_profile_counts_what_the_rules_count(seats: int, variant: str) -> None:
    game = registry.game("clever", seats, variant)
    finals = finals_of(game, 4)
    for seat in range(seats):
        found = profile.counted(finals, [seat] * 4)
        areas = np.zeros((4, 5), np.int64)
        game.call(areas_of, finals, seat, areas)
        assert (found.points == areas).all()
        assert [float(total) for total in found.totals] == [
            Position(game, finals[i : i + 1], 0).score[seat] for i in range(4)
        ]
        parts = game.profile(finals, [seat] * 4)
        titles = ["Points by area", "Marked cells and foxes", "Re-rolls used, by round", "+1 actions used, by round"]
        if seats == 1:
            titles.insert(2, "Rating: share of the matches")
        assert [part.title for part in parts] == titles
        assert sum(parts[0].figures) == pytest.approx(found.totals.mean())
        rounds = int(terms.ROUNDS[seats])
        for part, field in zip(parts[-2:], ("rerolls_spent", "extras_spent"), strict=True):
            assert len(part.labels) == rounds
            assert sum(part.figures) == pytest.approx(finals[field][:, seat].sum(axis=1).mean())


def test_a_profile_of_the_prototype_knows_one_area() -> None:
    game = registry.game("clever", 1, "yellow")
    [part] = game.profile(finals_of(game, 3), [0] * 3)
    assert part.labels == ("points", "marked cells") and 0 < part.figures[1] <= 10


def test_the_scale_has_a_name_for_every_rating() -> None:
    assert profile.SCALE[:2] == ("below 140", "140 to 159") and profile.SCALE[-2:] == ("260 to 280", "281 up")
    assert len(profile.SCALE) == len(RATINGS) == len(TIERS) + 1
    assert profile.ratings(np.array([139, 140, 260, 280, 281])) == [0.2, 0.2, 0, 0, 0, 0, 0, 0.4, 0.2]


def test_statistics_add_up() -> None:
    for seats, variant in ((1, "official"), (2, "harvest"), (1, "yellow")):
        game = registry.game("clever", seats, variant)
        finals, scores = [], []
        for seed in range(3):
            position = game.opening(seed)
            for _ in walk(position, seed):
                pass
            finals.append(position.state)
            scores.append(position.score)
        found = game.extras(np.concatenate(finals))
        if variant == "yellow":
            assert set(found) == {"yellow points", "yellow cells"} and found["yellow cells"] <= 10
            continue
        points = sum(value for name, value in found.items() if name.endswith(" points"))
        assert points == pytest.approx(np.mean(scores))
        shares = [value for name, value in found.items() if re.match(r"below|\d", name)]
        assert len(shares) == (9 if seats == 1 else 0) and sum(shares) == pytest.approx(1.0 if seats == 1 else 0.0)
