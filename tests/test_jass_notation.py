"""Positions of Schieber Jass as people write them: there and back over random matches, and every mistake in a line."""

import json

import pytest

from spielwerk.cli import main
from spielwerk.core import registry
from spielwerk.core.errors import InvalidMove, SpielwerkError
from spielwerk.core.kernel.rng import pick, spawn

HAND = "hand=h6 h9 hJ dA c10 sQ sK"
WHOLE = f"{HAND}; mode=hearts; played=d6 dK d7 d10 / d8 d9 dQ dJ; trick=c6 cA"
NINE = "hand=h6 h9 hJ hA dA c10 cK sQ sK"


def known(view):
    """The fields of a view that mean something."""
    fields = {name: view.state[name][0].tolist() for name in view.state.dtype.names if not name.startswith("gap")}
    if not fields["in_trick"]:
        del fields["led"], fields["winner"]
    if not fields["tricks"]:
        del fields["last_leader"]
    return fields


@pytest.mark.parametrize(
    "variant",
    ["server", "hslu-deal", "multipliers", "schieber", "schieber-deal,slalom=1", "schieber-deal,announce=0"],
)
def test_a_position_is_written_and_read_again(variant):
    game = registry.game("jass", variant=variant)
    for seed in range(3):
        position, rng, moves = game.new(seed), spawn(seed, 7), 0
        while not position.over and moves < 90:
            seat = position.actors[0]
            view = position.view(seat)
            text = game.write(view)
            again = game.read(text)
            assert known(again.view(seat)) == known(view), text
            assert again.actors == (seat,) and game.write(again.view(seat)) == text
            legal = position.legal(seat)
            position.play(legal[pick(rng, len(legal))])
            moves += 1
        assert moves > 30


def test_a_board_of_2048_is_written_and_read_again():
    game = registry.game("2048")
    position = game.new(3)
    for _ in range(60):
        again = game.read(game.write(position.view(0)))
        assert again.state.tobytes() == position.state.tobytes()
        position.play(position.legal(0)[0])


@pytest.mark.parametrize("card", ["hJ", "HJ", "h11", "H11", "♥J", "hearts-J", "RosenU", "rosen-u"])
def test_a_card_has_several_names(card):
    position = registry.game("jass").read(NINE.replace("hJ", card))
    assert "hJ" in position.view(0).text


def test_the_seats_follow_from_the_tricks():
    """Seat 4 must decide; two cards lie on the table, so seat 2 has led."""
    position = registry.game("jass").read(f"{WHOLE}; seat=4; push=yes; points=120:85; deal=3")
    view = position.view(3)
    assert position.actors == (3,)
    assert view.state["leader"][0] == 1 and view.state["deals"][0] == 2 and view.state["pushed"][0] == 1
    assert view.score[0] + view.score[1] == 120 + 85 + 19


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs the cards"),
        ("h6 h7", "says nothing of a position"),
        ("mode=hearts", "needs the cards"),
        (f"{WHOLE}; colour=red", "unknown part of a position 'colour'"),
        (f"{HAND}; hand=h6", "hand=… is there twice"),
        (HAND.replace("h9", "h6"), "h6 is there twice"),
        (HAND.replace("h9", "x9"), "'x9' is no card"),
        (HAND.replace("h9", "h5"), "'h5' is no card"),
        (HAND.replace("h9", "h²"), "'h²' is no card"),
        (HAND, "holds 9, but hand=… has 7"),
        (WHOLE.replace("h6 ", ""), "has played 2 cards and so holds 7, but hand=… has 6"),
        (WHOLE.replace("mode=hearts", ""), "write which mode it is"),
        (WHOLE.replace("hearts", "heart"), "did you mean 'hearts'"),
        (WHOLE.replace(" dJ;", ";"), "four cards each"),
        (WHOLE.replace("c6 cA", "c6 cA c7 c8"), "four cards each"),
        (WHOLE.replace("d8 d9 dQ dJ", "d8 c7 d9 dJ").replace("c6 cA", "c6 cA dQ"), "c7 cannot have been played"),
        (f"{WHOLE}; seat=5", "seat=… takes a whole number from 1 to 4, not '5'"),
        (f"{WHOLE}; seat=²", "not '²'"),
        (f"{WHOLE}; points=5", "both teams"),
        (f"{WHOLE}; points=5:-1", "points=… takes"),
        (f"{WHOLE}; push=perhaps", "push=… takes yes or no"),
        (f"{WHOLE}; deal=0", "deal=… takes"),
        ("hand=" + "h6 " * 1000, "at most 2000 characters"),
    ],
)
def test_mistakes_are_named(text, said):
    with pytest.raises(InvalidMove) as problem:
        registry.game("jass").read(text)
    assert said in str(problem.value)


def test_only_who_must_decide_can_write_the_position():
    position = registry.game("jass").new(1)
    with pytest.raises(SpielwerkError, match="must decide"):
        position.game.write(position.view(2))


def test_ask_answers_with_the_value_of_every_move(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["ask", "jass", WHOLE, "--agent", "dmcts:seconds=0.02", "--json"])
    assert not stopped.value.code
    answer = json.loads(capsys.readouterr().out)
    assert answer["move"] in answer["values"] and "c10" in answer["values"]
    with pytest.raises(SystemExit) as stopped:
        main(["ask", "jass", f"{WHOLE}; seat=9"])
    assert stopped.value.code == 2 and "seat=…" in capsys.readouterr().err


def test_a_position_shows_its_board_and_whose_view_it_is():
    position = registry.game("jass").new(1)
    assert repr(position).startswith("<Schieber Jass server, 4 seats, seat 1 to move, all hands open>\n")
    assert repr(position).endswith(position.text)
    view = position.view(1)
    assert repr(view) == f"<Schieber Jass server, 4 seats, seat 1 to move, as seat 2 sees it>\n{view.text}"
    assert "as a spectator sees it" in repr(position.view(-1))
    assert repr(registry.game("2048").new(1)).startswith("<2048 4x4, 1 seat, seat 1 to move>\n+---")
