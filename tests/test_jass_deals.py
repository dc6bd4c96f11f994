"""Deals to learn from: made by agents, read from records and server logs, described, and turned into decisions."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.cli.app import app
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import play, replay
from spielwerk.games.jass.kernel.table import FIRST_MODE, POWERS, PUSH
from spielwerk.games.jass.learn import deals as forms
from spielwerk.games.jass.learn import make_deals
from spielwerk.games.jass.learn.deal_decisions import decisions
from spielwerk.games.jass.learn.describe_deals import described, survey
from spielwerk.games.jass.learn.kernel.deals import CHOICES, NOBODY
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.games.jass.learn.read_deals import Found, _seats_of, read
from spielwerk.learn import run as runs
from spielwerk.learn.decisions import joined
from spielwerk.learn.gather import Source
from spielwerk.learn.run import Limits

pytestmark = pytest.mark.xdist_group("jass_deals")
TRANSCRIPT = Path(__file__).parent / "data" / "jass_server_transcript.jsonl"
SEATS = {"rules": 3.0, "random": 1.0}


def quiet(done, line):
    pass


@pytest.fixture(scope="module")
def game():
    return sw.game("jass", variant="server-deal")


@pytest.fixture(scope="module")
def made(game, tmp_path_factory):
    folder = tmp_path_factory.mktemp("deals")
    make(folder, game, SEATS, "rules", 60, Limits(seed=3), quiet)
    return folder


def test_made_deals_are_legal_and_say_who_played(made):
    found = forms.load(made)
    assert len(found) == 60 and found.header.players == ["rules", "random"] and found.header.teacher == "rules"
    assert not survey(found).broken.any()
    assert 0.6 < (found.arrays.players == 0).mean() < 0.9
    same = (found.arrays.taught[:, CHOICES:] == found.arrays.cards) | (found.arrays.taught[:, CHOICES:] < 0)
    assert 0.8 < same.mean() < 1.0  # the random players often do something else than the teacher would


def test_deals_are_the_same_whoever_makes_them_and_go_on_after_a_stop(game, made, tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.games.jass.learn.make_deals.SIZE", 25)
    limits = Limits(seed=3, threads=2, backend="threads")

    class Killed(Exception):
        pass

    def killed_after_one(done, line):
        raise Killed

    with pytest.raises(Killed):
        make(tmp_path, game, SEATS, "rules", 60, limits, killed_after_one)
    with pytest.raises(SpielwerkError, match="not complete"):
        forms.load(tmp_path)
    make(tmp_path, game, SEATS, "rules", 60, limits, quiet)
    one, other = forms.load(made), forms.load(tmp_path)
    assert other.header.files == 3
    for name, array in one.arrays._asdict().items():
        assert np.array_equal(array, getattr(other.arrays, name)), name
    with pytest.raises(SpielwerkError, match="holds other deals"):
        make(tmp_path, game, {"random": 1.0}, None, 60, limits, quiet)


@pytest.mark.parametrize("variant", ["server-deal", "schieber-deal"])
@pytest.mark.parametrize("teacher", [None, "rules", "rules:error=20", "net"])
def test_compiled_code_plays_the_deals_that_are_played_one_by_one(variant, teacher, monkeypatch):
    players = (("rules", 2.0), ("random", 1.0), ("rules:error=60", 1.0))
    if teacher == "net":
        players = (*players, ("net:temperature=2", 1.0))
    at_once = make_deals.make_shard(variant, players, teacher, 8, 5, 40)
    monkeypatch.setattr(make_deals, "compiled_policies", lambda game, agents: None)
    one_by_one = make_deals.make_shard(variant, players, teacher, 8, 5, 40)
    assert len(at_once["mode"]) == 40 and set(at_once["players"].ravel()) == set(range(len(players)))
    for name, array in one_by_one.items():
        assert np.array_equal(array, at_once[name]) and array.dtype == at_once[name].dtype, name


@pytest.mark.parametrize("compiled", [True, False])
def test_a_match_that_ends_in_the_middle_of_a_deal_is_no_deal(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(make_deals, "compiled_policies", lambda game, agents: None)
    with pytest.raises(SpielwerkError, match="take a table with a higher target"):
        make_deals.make_shard("schieber-deal,target=60", (("rules", 1.0),), None, 8, 0, 5)


def decided(folder, game, encoding="186", imitated=None, first=0, actions=43):
    source = Source("rules", (), 0.0, encoding, first, actions, "lead", "action", 1.0, 0)
    return joined(list(decisions(folder, game, source, imitated)))


def test_decisions_are_those_of_the_records(game, tmp_path):
    """Two ways to the same rows: deals in compiled code, and records that are played again position by position."""
    agents = [sw.agent(name) for name in ("rules", "random", "rules:error=60", "rules")]
    for number in range(8):
        play(game, agents, seed=number).save(tmp_path / f"{number}.json")
    header = read([tmp_path], "server-deal", tmp_path / "deals", quiet)
    assert header.deals == 8 and header.incomplete == 0
    for encoding, imitated in (("186", None), ("standard", "random"), ("37", "rules")):
        wanted = registry.learner_class("imitate")(records=str(tmp_path), imitated=imitated, encoding=encoding)
        run = runs.RunFolder(tmp_path / f"run-{encoding}")
        run.path.mkdir()
        source = wanted.source(game, 0)
        count = wanted._gathered(game, run, source, Limits(), quiet)
        from_records = joined([dict(np.load(run.path / "data" / f"{n:05}.npz")) for n in range(count)])
        from_deals = decided(tmp_path / "deals", game, encoding, imitated)
        for name in ("ones", "legal", "action", "seat", "match", "worth", "values"):
            assert np.array_equal(from_records[name], from_deals[name]), (encoding, name)
        assert np.array_equal(from_records["forced"], from_deals["forced"])


def test_what_the_teacher_would_have_done_is_learned(game, made):
    """Every label is asked for again."""
    rows, found = decided(made, game, "standard"), forms.load(made)
    teacher, row = sw.agent("rules"), 0
    for n in range(10):
        position = game.opening().settle()
        position.state["hands"][0] = hands_of(found.arrays, n)
        for done in actions_of(found.arrays, n):
            seat = position.actors[0]
            view = position.view(seat)
            if len(view.legal) > 1:
                assert rows["action"][row] == teacher.decide(view, sw.Budget(), sw.spawn(1)).action
                assert rows["seat"][row] == seat and rows["match"][row] == n
                row += 1
            position.apply({seat: done})
        assert (rows["match"] == n).sum() == row - np.searchsorted(rows["match"], n)


def hands_of(arrays, n):
    """By hand: the winner of a trick leads the next."""
    hands, leader = [0, 0, 0, 0], int(arrays.starter[n])
    for trick in arrays.cards[n].astype(int).reshape(9, 4):
        powers = [POWERS[36 * (4 * int(arrays.mode[n]) + trick[0] // 9) + card] for card in trick]
        for i, card in enumerate(trick):
            hands[(leader + i) % 4] |= 1 << int(card)
        leader = (leader + int(np.argmax(powers))) % 4
    return hands


def actions_of(arrays, n):
    chosen = FIRST_MODE + int(arrays.mode[n])
    return [*([PUSH] if arrays.pushed[n] else []), chosen, *map(int, arrays.cards[n])]


def test_a_game_of_the_real_server_is_read(tmp_path):
    header = read([TRANSCRIPT], "server-deal", tmp_path / "deals", quiet)
    assert (header.deals, header.incomplete) == (20, 0) and header.players == ["bot0", "bot2", "bot1", "bot3"]
    found = forms.load(tmp_path / "deals")
    assert found.arrays.starter.tolist() == [n % 4 for n in range(20)]
    assert found.arrays.pushed.sum() == 4
    points = survey(found).points.sum(axis=0).tolist()
    last = [json.loads(line)["msg"] for line in TRANSCRIPT.read_text().splitlines() if "WINNER_TEAM" in line][-1]
    assert last["data"]["points"] in points


def log_of_the_server(tmp_path):
    """The same game as the server's own log writes it."""
    entries = []
    for line in TRANSCRIPT.read_text().splitlines():
        told = json.loads(line)
        if told["dir"] == "S>C":
            kind = {"broadcast": True} if told["client"] == "*" else {"broadcast": False, "sentTo": told["client"]}
        else:
            kind = {"broadcast": False, "receivedFrom": told["client"]}
        message = told.get("msg") or {}
        entries.append(kind | {"messageType": message.get("type"), "data": message.get("data")})
    (tmp_path / "log.json").write_text(json.dumps(entries))
    return tmp_path / "log.json"


def test_a_game_log_of_the_server_is_read(tmp_path):
    log = log_of_the_server(tmp_path)
    read([log], "server-deal", tmp_path / "one", quiet)
    read([TRANSCRIPT], "server-deal", tmp_path / "two", quiet)
    assert np.array_equal(forms.load(tmp_path / "one").arrays.cards, forms.load(tmp_path / "two").arrays.cards)


def test_a_game_that_broke_off_and_cards_that_break_the_rules_are_left_out(tmp_path):
    entries = json.loads(log_of_the_server(tmp_path).read_text())
    tricks = [entry for entry in entries if entry["messageType"] == "BROADCAST_STICH"]
    played = tricks[9]["data"]["playedCards"]  # the first trick of the second deal, as if another card had been led
    played[0], tricks[10]["data"]["playedCards"][0] = tricks[10]["data"]["playedCards"][0], played[0]
    (tmp_path / "log.json").write_text(json.dumps(entries[: entries.index(tricks[30])]))
    header = read([tmp_path / "log.json"], "server-deal", tmp_path / "deals", quiet)
    assert (header.deals, header.incomplete) == (2, 2)


def test_matches_of_many_deals_are_cut_into_deals(tmp_path):
    game = sw.game("jass", variant="schieber,target=1000")
    record = play(game, [sw.agent("rules")] * 4, seed=4)
    record.save(tmp_path / "match.json")
    header = read([tmp_path / "match.json"], "schieber-deal", tmp_path / "deals", quiet)
    final = replay(record)[-1]
    complete = int(final.state["deals"][0])
    assert header.deals in (complete, complete + 1) and header.deals + header.incomplete == complete + 1


def test_records_of_a_table_where_modes_count_otherwise_are_refused(tmp_path):
    record = play(sw.game("jass", variant="schieber-deal"), [sw.agent("rules")] * 4, seed=4)
    record.save(tmp_path / "match.json")
    with pytest.raises(SpielwerkError, match="--variant schieber-deal"):
        read([tmp_path / "match.json"], "server-deal", tmp_path / "deals", quiet)


@pytest.mark.parametrize("players", [None, 3, [None], [{"seatId": 1.0}], [{"seatId": [1]}], [{"seatId": 9}]])
def test_teams_that_cannot_be_read_are_nobody(players):
    assert _seats_of([{"players": players}, None, {"players": [{"seatId": 2, "name": "x"}]}], Found([], [])) == [
        NOBODY, NOBODY, 0, NOBODY
    ]  # fmt: skip
    assert _seats_of(None, Found([], [])) == [NOBODY] * 4


def test_the_report_counts_what_the_thesis_counted(made):
    found = described(made)
    numbers = {row["what"]: row["here"] for row in found["quantity"] + found["quality"]}
    assert numbers["deals"] == numbers["deals with all 36 cards"] == 60 and numbers["tricks"] == 540
    assert numbers["deals that are there twice"] == numbers["deals that break the rules"] == 0
    arrays = forms.load(made).arrays
    assert numbers["pushes"] == arrays.pushed.sum() and numbers["mode decisions"] == 60 + arrays.pushed.sum()
    assert (
        numbers["real choices of a card"]
        == (decided(made, sw.game("jass", variant="server-deal"))["action"] < 36).sum()
    )
    assert sum(row["chosen"] for row in found["modes"]) == 60
    assert {row["what"]: row["thesis"] for row in found["quantity"]}["deals"] == 133_652


def test_duplicates_are_counted(made, tmp_path):
    found = forms.load(made)
    twice = type(found.arrays)(*(np.concatenate([array, array[:5]]) for array in found.arrays))
    forms.keep(tmp_path, forms.Deals(found.header, twice))
    numbers = {row["what"]: row["here"] for row in described(tmp_path)["quality"]}
    assert numbers["deals that are there twice"] == 5


def test_networks_learn_from_deals(game, made, tmp_path):
    text = f"imitate:records={made},encoding=150,actions=0-35,network=32,epochs=1,tests=1,test_games=2"
    folder = runs.train(game, runs.learner(text), tmp_path / "run", seed=1)
    assert folder.rows()[0]["matches"] == 60 and (folder.path / "model.npz").is_file()


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["make", "jass", "rules*much", "--out", "x"], "as rules*3"),
        (["make", "2048", "random", "--out", "x"], "game with data of its own"),
        (["make", "jass", "alphaqwixx", "--out", "x"], "Qwixx"),
        (["report", "jass", "nowhere"], "spielwerk data make jass"),
    ],
)
def test_mistakes_name_the_remedy(arguments, remedy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["data", *arguments])
    assert isinstance(result.exception, SpielwerkError) and remedy in str(result.exception)


def test_the_command_line_makes_reads_and_reports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert (
        run(
            app,
            [
                "data",
                "make",
                "jass",
                "rules*2",
                "random",
                "--matches",
                "4",
                "--out",
                "made",
                "--variant",
                "server-deal",
            ],
        ).exit_code
        == 0
    )
    told = run(app, ["data", "report", "jass", "made", "--json"])
    assert told.exit_code == 0 and json.loads(told.stdout)["quantity"][0]["here"] == 4
    assert (
        run(app, ["data", "read", "jass", str(TRANSCRIPT), "--out", "read", "--variant", "server-deal"]).exit_code == 0
    )
    assert "20" in run(app, ["data", "report", "jass", "read"]).stdout


def test_decisions_without_a_choice_are_learned_if_wanted(game, made, tmp_path):
    few = decided(made, game)
    source = Source("rules", (), 0.0, "186", 0, 43, "lead", "action", 1.0, 0, forced=True)
    every = joined(list(decisions(made, game, source, None)))
    assert len(every["action"]) == len(few["action"]) + few["forced"].sum() and not every["forced"].any()
    assert len(every["action"]) == 60 * 37 + forms.load(made).arrays.pushed.sum()
    text = f"imitate:records={made},encoding=186,forced=true,mask=false,network=8,epochs=1,tests=1,test_games=2"
    rows = runs.train(game, runs.learner(text), tmp_path / "run", seed=1).rows()
    assert 0.0 <= rows[-1]["kept_accuracy_all_unmasked"] <= rows[-1]["kept_accuracy_all"] <= 1.0


def test_some_actions_are_learned_less_often(game, made, tmp_path):
    def trained(name, thinned):
        text = f"imitate:records={made},encoding=37,actions=36-42,network=8,epochs=1,tests=1,test_games=2"
        return runs.train(game, runs.learner(f"{text},thinned={thinned}"), tmp_path / name, seed=1).rows()[0]

    every, none = trained("every", "none"), trained("none", "42*0")
    pushes = (forms.load(made).arrays.taught[:, 0] == PUSH).sum()
    assert every["training"] - none["training"] == pytest.approx(0.9 * pushes, abs=6)
    assert every["validation"] == none["validation"]
    for wrong in ("42", "7*0.5", "42*2", "x*1"):
        learner = runs.learner(f"imitate:records={made},encoding=37,actions=36-42,thinned={wrong}")
        assert "42*0.5" in learner.why_not(game)


def test_more_deals_go_on_where_fewer_ended(game, tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.games.jass.learn.make_deals.SIZE", 5)
    limits = Limits(seed=3)
    make(tmp_path, game, SEATS, None, 7, limits, quiet)
    few = forms.load(tmp_path).arrays.cards.copy()
    header = make(tmp_path, game, SEATS, None, 12, limits, quiet)
    more = forms.load(tmp_path).arrays.cards
    assert header.deals == len(more) == 12 and np.array_equal(more[:7], few)
    assert make(tmp_path, game, SEATS, None, 3, limits, quiet).deals == 12  # they are there already
    assert len(forms.load(tmp_path)) == 12
    with pytest.raises(SpielwerkError, match="holds other deals"):
        read([TRANSCRIPT], "server-deal", tmp_path, quiet)


def test_deals_are_the_same_with_any_teacher(game, tmp_path):
    for name, teacher in (("none", None), ("other", "rules:error=90")):
        make(tmp_path / name, game, {"random": 1.0, "rules:error=60": 1.0}, teacher, 10, Limits(seed=3), quiet)
    one, other = (forms.load(tmp_path / name).arrays for name in ("none", "other"))
    assert np.array_equal(one.cards, other.cards) and np.array_equal(one.players, other.players)


def test_deals_that_are_not_complete_are_not_learned_from(game, tmp_path):
    forms.Header("server-deal", ["rules"], 0).keep(tmp_path)
    with pytest.raises(SpielwerkError, match="not complete"):
        runs.train(game, runs.learner(f"imitate:records={tmp_path}"), tmp_path / "run", seed=1)


def test_some_of_the_deals_and_of_one_player(game, made, tmp_path):
    text = f"imitate:records={made},games=20,network=8,epochs=1,tests=1,test_games=2"
    assert runs.train(game, runs.learner(text), tmp_path / "run", seed=1).rows()[0]["matches"] == 20
    read([TRANSCRIPT], "server-deal", tmp_path / "server", quiet)
    nobody = forms.load(tmp_path / "server")
    nobody.arrays.players[:, 0] = NOBODY
    forms.keep(tmp_path / "nobody", nobody)
    every, one = decided(tmp_path / "nobody", game), decided(tmp_path / "nobody", game, imitated="bot1")
    assert set(every["seat"]) == {0, 1, 2, 3} and set(one["seat"]) == {1}


def test_a_file_that_was_taken_away_is_made_again(game, tmp_path, monkeypatch):
    monkeypatch.setattr(make_deals, "SIZE", 10)
    make(tmp_path, game, SEATS, None, 30, Limits(seed=3), quiet)
    damaged = tmp_path / "00001.npz"
    before = damaged.read_bytes()
    damaged.write_bytes(b"no deals")
    with pytest.raises(SpielwerkError, match=r"00001\.npz cannot be read.*take it away"):
        forms.load(tmp_path)
    damaged.unlink()
    assert make(tmp_path, game, SEATS, None, 20, Limits(seed=3), quiet).deals == 30
    assert damaged.read_bytes() == before


def test_deals_that_are_being_added_are_not_complete(game, tmp_path, monkeypatch):
    monkeypatch.setattr(make_deals, "SIZE", 5)
    make(tmp_path, game, SEATS, None, 5, Limits(seed=3), quiet)

    class Killed(Exception):
        pass

    def killer(done, line):
        if done >= 0.5:
            raise Killed

    with pytest.raises(Killed):
        make(tmp_path, game, SEATS, None, 20, Limits(seed=3), killer)
    with pytest.raises(SpielwerkError, match="not complete"):
        forms.load(tmp_path)
    make(tmp_path, game, SEATS, None, 20, Limits(seed=3), quiet)
    assert len(forms.load(tmp_path)) == 20


def test_agents_that_think_make_small_files(game, tmp_path):
    """A file is what a kill may cost."""
    header = make(tmp_path, game, {"mc:iterations=1": 1.0}, None, 3, Limits(seed=3), quiet)
    assert (header.size, header.deals) == (forms.ASKED_SIZE, 3) and forms.ASKED_SIZE < forms.SIZE
