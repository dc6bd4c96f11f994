"""What the README says is true: its example runs, its table is what the registry says."""

import doctest
import re
from pathlib import Path

from spielwerk.core import registry
from test_conformance import small_agent

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_example_runs():
    parser = doctest.DocTestParser()
    example = parser.get_doctest(README, {}, "README", "README.md", 0)
    assert len(example.examples) >= 10
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize().failed == 0


def expected_table():
    games = registry.game_names()
    lines = ["| agent | " + " | ".join(games) + " |", "|---|" + "---|" * len(games)]
    for name in registry.agent_names():
        lines.append(f"| `{name}` | " + " | ".join(cell(small_agent(name), game) for game in games) + " |")
    return "\n".join(lines)


def cell(agent, game):
    """A tick; or the numbers of seats, if it cannot play with the usual one; or a dash."""
    if agent.why_not(registry.game(game)) is None:
        return "✓"
    seats = [str(seats) for seats in registry.game(game).spec.seats if not agent.why_not(registry.game(game, seats))]
    return f"{', '.join(seats)} {'seat' if seats == ['1'] else 'seats'}" if seats else "–"


def test_the_table_of_games_and_agents():
    found = re.search(r"<!-- table -->\n(.*?)\n?<!-- /table -->", README, re.S)
    assert found, "the README has no table"
    assert found[1].strip() == expected_table()
    assert {name for name, cells in rows(found[1]) if not re.search("✓|seat", cells)} == {"qtable"}, (
        "an agent without a game"
    )


def rows(table):
    """Names and cells. Tables play what somebody has learned; none is shipped."""
    return [re.match(r"\| `(\w+)` (.*)", line).groups() for line in table.splitlines()[2:]]


def test_every_file_that_is_named_exists():
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text()):
        for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page):
            path = target[0] or target[1]
            if "://" not in path:
                assert (ROOT / path).exists(), f"{path} does not exist"
