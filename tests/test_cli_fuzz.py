"""A few hundred bad command lines: none ends in a traceback, each is told in words and ends with a known code."""

import json
import random

import pytest

from spielwerk.cli import main

DEEP = "(" * 3000 + "random" + ")" * 3000
AGENTS = [
    "", ":", "=", "random:", "random:x", "random:x=1", "²", "*", "(random", "random)", "()", DEEP, "a" * 50_000,
    "vote:agents=(random)*²", "vote:agents=(random)*٣", "vote:agents=(random)*", "vote:agents=(random)*0",
    "vote:agents=(random)*99999999999999999999999", "vote:agents=" + "+".join(["(random)"] * 3000),
    f"vote:agents={DEEP}", "vote:agents=" * 400 + "random", "vote:agents=(" * 400 + "random" + ")" * 400,
    "mc:playouts=mc:playouts=" * 200 + "mc",
    "mc:iterations=²", "mc:iterations=1e400", "mc:iterations=" + "9" * 5000, "mc:iterations=-1", "mc:iterations=0",
    "mc:preset=none", "mc:iterations=1,iterations=2", "ntuple:model=\udcff", "expectimax:evaluation=ntuple@/dev/null",
    "mctse:evaluation=kutsch@/dev/null", "expectimax:extend_outcomes=²",
]  # fmt: skip
NUMBERS = ["", "x", "²", "-1", "1.5", "nan", "inf", "-inf", "1e400", "9" * 23, "9" * 5000, "0x10", "٣٣٣٣٣٣٣٣٣٣", "--"]
SECONDS = ["", "x", "nan", "-inf", "inf", "-1", "1e400", "1e300", "9" * 400, "²"]
PATHS = ["/dev/null", "/dev/null/x", "/", "nowhere/at/all", "x" * 5000, "\udcff"]
TEXTS = [
    "",
    "[]",
    "{}",
    "null",
    "[" * 100_000,
    '{"note": ' + "[" * 100_000,
    '{"header": ' * 50_000,
    "NaN",
    "\x00",
    "1" * 5000,
    '"\\ud800"',
]
RECORD = {
    "header": {"game": "2048", "variant": "2x2", "seats": 1, "seed": 3, "agents": ["random"], "versions": {}},
    "events": [],
}
POSITIONS = [
    "",
    "2",
    "2 4/8",
    "2 4/8 ²",
    "2 4 8 16/" * 400,
    "score",
    "2 4/8 16 score ²",
    "hand=h6",
    "hand=" + "h6 " * 900,
]
SMALL = ["--games", "1", "--variant", "2x2"]


def bad_lines():
    """(arguments that are wrong)."""
    for agent in AGENTS:
        yield ["evaluate", "2048", agent, *SMALL]
        yield ["play", "2048", "--agents", agent or " ", "--variant", "2x2", "--quiet"]
        yield ["ask", "2048", "2 4/8 16", "--variant", "2x2", "--agent", agent or " "]
        yield ["tournament", "2048", "random", agent, "--rounds", "1", "--variant", "2x2"]
        yield ["train", "2048", agent, "--out", "never"]
        yield ["tune", "2048", agent, "--out", "never"]
    for number in NUMBERS:
        for option in ("--games", "--seed", "--workers", "--seats", "--opening"):
            yield ["evaluate", "2048", "random", option, number]
        yield ["train", "2048", "ntuple", "--seed", number, "--out", "never"]
        yield ["train", "2048", "ntuple", "--threads", number, "--out", "never"]
        yield ["tournament", "2048", "random", "greedy", "--rounds", number]
        yield ["certainty", "2048", "random", "--states", number]
        yield ["ask", "2048", "2 4/8 16", "--variant", "2x2", "--seat", number or "x"]
        yield ["replay", f"{number}:1"]
        yield ["replay", f"1:{number}"]
        yield ["serve", "--port", number or "x"]
    for seconds in SECONDS:
        yield ["evaluate", "2048", "random", "--seconds", seconds]
        yield ["play", "2048", "--agents", "random", "--limit", seconds]
        yield ["play", "2048", "--agents", "random", "--seconds", seconds]
        yield ["train", "2048", "ntuple", "--seconds", seconds, "--out", "never"]
        yield ["bench", "2048", "--seconds", seconds]
    for path in PATHS:
        yield ["evaluate", "2048", "random", *SMALL, "--store", f"{path}/store"]
        yield ["replay", path]
        yield ["check", "speed", path]
        yield ["runs", "--store", f"{path}/store"]
        yield ["train", "--resume", path]
        yield ["tune", "--resume", path]
        yield ["ship", path, "--as", "it"]
        yield ["play", "2048", "--agents", "random", "--record", f"{path}/x/y"]
    for position in POSITIONS:
        yield ["ask", "2048", position]
        yield ["ask", "jass", position]
        yield ["ask", "qwixx", position]
    for word in ["²", "", "x" * 5000, "--no-such-option", "\udcff"]:
        yield [word or "nothing"]
        for command in (
            "rules",
            "agents",
            "warm",
            "solve",
            "check",
            "play",
            "models",
            "study",
            "host",
            "join",
            "bench",
        ):
            yield [command, word or "nothing"]


def bad_records():
    chance = random.Random(4)
    yield from TEXTS
    for field in RECORD["header"]:
        for value in (None, [], "²", -1, 10**30, "x" * 300, 1.5):
            yield json.dumps(RECORD | {"header": RECORD["header"] | {field: value}, "events": ["nothing"]})
    for events in (5, ["²"], [{"0": "up"}], [{"²": "up"}], [{}], [[]], ["a1=2", {"7": "up"}], [{"0": "up"}] * 500):
        yield json.dumps(RECORD | {"events": events})
    whole = json.dumps(RECORD | {"events": ["a1=2", "b2=4"]})
    for _ in range(60):
        place = chance.randrange(len(whole))
        yield whole[:place] + chance.choice(["", "[", "\x00", "²", "9" * 30, "}"]) + whole[place + 1 :]


def ended_well(capsys, arguments, codes):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    said = capsys.readouterr()
    shown = [argument[:60] for argument in arguments]
    assert (stopped.value.code or 0) in codes, (shown, said.err[-500:])
    assert "Traceback" not in said.err + said.out, shown
    if stopped.value.code:
        told = said.err.strip()
        assert len(told) > 15 and len(told) < 3000, (shown, told)
    return stopped.value.code or 0


def test_bad_command_lines(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = list(bad_lines())
    codes = [ended_well(capsys, line, (0, 2)) for line in lines]
    assert len(lines) > 400
    assert codes.count(2) > 0.9 * len(lines), "nearly all of them are wrong"
    assert not (tmp_path / "never").exists(), "nothing was begun"


def test_bad_records(capsys, tmp_path):
    file = tmp_path / "record.json"
    texts = list(bad_records())
    for text in texts:
        file.write_text(text, errors="surrogatepass")
        ended_well(capsys, ["replay", str(file), "--check"], (0, 2))
        ended_well(capsys, ["check", "speed", str(file)], (2,))
    assert len(texts) > 100


def test_a_record_that_is_nested_too_deeply_says_so(capsys, tmp_path):
    file = tmp_path / "record.json"
    file.write_text('{"note": ' + "[" * 100_000)
    with pytest.raises(SystemExit) as stopped:
        main(["replay", "--check", str(file)])
    assert stopped.value.code == 2
    assert "this is no record of a match: it is nested too deeply" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (f"vote:agents={DEEP}", "nested too deeply"),
        ("vote:agents=(" * 400 + "random" + ")" * 400, "nested too deeply"),
        ("vote:agents=" * 400 + "random", "nested too deeply"),
        ("vote:agents=(random)*²", "between 1 and 1000 agents of a kind, not ²"),
        ("random:" + "x" * 50_000, "too long: 50000 characters"),
    ],
)
def test_an_agent_has_a_most_depth_and_length(capsys, agent, said):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "2048", agent, *SMALL])
    err = capsys.readouterr().err
    assert stopped.value.code == 2 and said in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "2048", "ntuple", "--seed", "-1"], "'-1' is too small; take at least 0"),
        (["evaluate", "2048", "random", "--workers", "9" * 22], "is too large; take at most 1,024"),
        (["evaluate", "2048", "random", "--seconds", "nan"], "'nan' is no number of seconds"),
        (["evaluate", "2048", "random", "--seconds", "1e400"], "take at most 1,000,000,000"),
        (["replay", f"{'9' * 23}:1"], f"there is no match 1 of run {'9' * 23}"),
        (["replay", f"1:{'9' * 23}"], f"there is no match {'9' * 23} of run 1"),
    ],
)
def test_numbers_out_of_their_range(capsys, arguments, said):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2 and said in capsys.readouterr().err


def test_the_version_is_that_of_the_package(capsys):
    from importlib.metadata import version

    import spielwerk

    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert not stopped.value.code
    assert capsys.readouterr().out == f"spielwerk {version('spielwerk')}\n"
    assert spielwerk.__version__ == version("spielwerk")
