"""How the verdicts of a review fall: matches of easy, middling and strongest agents, reviewed as in the web app.

    python benchmarks/verdicts.py [--games 2048 qwixx jass] [--decisions 60] [--seconds 0.2] [--seed 1]

Every agent plays matches against itself; of its decisions with a choice an even sample is judged by the game's adviser,
with a second look where something would be blamed. The strongest should be blamed seldom, the easiest often.
"""

import argparse
import asyncio
import time

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.match import play, positions
from spielwerk.core.position import View
from spielwerk.web.advice import VERDICTS, Adviser
from spielwerk.web.review import decisions_in, even_sample, judge
from spielwerk.web.think import Preparer, Thinker

MATCHES = 12  # at most, until there are enough decisions


def sampled(game: Game, spec: str, wanted: int, seed: int) -> list[tuple[int, View, int]]:
    """(number, view, action) of decisions in which the agent had a choice, evenly over some matches."""
    found: list[tuple[int, View, int]] = []
    agents = [registry.agent(spec)] * game.seats
    for match in range(MATCHES):
        record = play(game, agents, seed + match)
        every = list(positions(game, record))
        views = [(number, every[number].view(seat), action) for number, seat, action in decisions_in(game, record)]
        found += even_sample([one for one in views if len(one[1].legal) > 1], wanted // 3)
        if len(found) >= wanted:
            break
    return found[:wanted]


async def review(game: Game, spec: str, options: argparse.Namespace) -> tuple[dict[str, int], float, str]:
    """Verdicts, mean chance lost, and who judged."""
    preparer = Preparer()
    adviser = Adviser(preparer, Thinker(1), limit=60)
    verdicts: dict[str, int] = {}
    shares, who = [], ""
    for number, view, action in sampled(game, spec, options.decisions, options.seed):
        found, advice = await judge(adviser, number, view, action, options.seconds)
        verdicts[found.verdict] = verdicts.get(found.verdict, 0) + 1
        shares.append(found.share or 0.0)
        who = advice.agent if advice else who
    preparer.close()
    return verdicts, sum(shares) / max(len(shares), 1), who


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=registry.game_names())
    parser.add_argument("--decisions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds = ("best", *VERDICTS)
    print("| game, judged by | agent | " + " | ".join(kinds) + " | blamed | mean chance lost |")
    print("|---" * (len(kinds) + 4) + "|")
    for name in options.games:
        spec = registry.game_class(name).spec
        variant = next((each for each in spec.variants if each.endswith("-deal")), None)
        game = registry.game(name, None, variant)
        ladder = spec.ladder
        for rung in (ladder[0], ladder[len(ladder) // 2 - 1 + len(ladder) % 2], ladder[-1]):
            strength, agent = rung.strength, rung.agent
            began = time.monotonic()
            verdicts, lost, who = asyncio.run(review(game, agent, options))
            total = max(sum(verdicts.values()), 1)
            cells = [f"{100 * verdicts.get(kind, 0) / total:.0f} %" for kind in kinds]
            blamed = sum(verdicts.get(kind, 0) for kind in kinds[2:]) / total
            shown = f"{game.spec.title}, `{who}`"
            print(f"| {shown} | {strength}: `{agent}` | {' | '.join(cells)} | {blamed:.0%} | {lost:.1%} |", flush=True)
            print(f"    {total} decisions in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
