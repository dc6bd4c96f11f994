"""How many deals there are, and of what quality: what Eder and Kistler (2017, 2.5.4) asked of their data."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import specialise
from spielwerk.games.jass.cards import MODES
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.deals import READ_SIZE, Deals, load
from spielwerk.games.jass.learn.kernel.deals import DealArrays, Survey, survey_deals
from spielwerk.learn.run import Report

THESIS = {
    "deals": 133_652,
    "tricks": 1_202_868,
    "tricks from four points of view": 4_811_472,
    "mode decisions": 139_633,
    "pushes": 84_344,
}


def _quiet(done: float, line: str) -> None:
    """Nobody is told."""


def survey(deals: Deals, report: Report = _quiet) -> Survey:
    """Count everything there is to count in deals, and find those that break the rules."""
    game, count = deals.game, len(deals)
    found = Survey(
        forced=np.zeros(9, np.int64),
        legal=np.zeros(9, np.int64),
        positions=np.zeros((count, 36), np.uint64),
        points=np.zeros((count, 2), np.int64),
        broken=np.zeros(count, np.uint8),
    )
    look = specialise(survey_deals, game)
    start, states, scratch = game.opening().state, game.states(1), game.scratch()
    for first in range(0, count, READ_SIZE):
        look(start, states, deals.arrays, first, min(first + READ_SIZE, count), scratch, found)
        report(
            min(first + READ_SIZE, count) / count,
            say("{deals} {deals:deal|deals}", deals=min(first + READ_SIZE, count)),
        )
    return found


def described(folder: Path, report: Report = _quiet) -> dict[str, Any]:
    """Quality and quantity of the deals in a folder (Eder and Kistler 2017, 2.5.4), their figures beside ours."""
    deals = load(folder)
    header, arrays = deals.header, deals.arrays
    found = survey(deals, report)
    count, pushes = len(deals), int(arrays.pushed.sum())
    choices = found.positions[found.positions != 0]
    forced = int(found.forced.sum())
    rows = np.concatenate([arrays.starter[:, None], arrays.mode[:, None].astype(np.uint8), arrays.cards], axis=1)
    different = len(np.unique(np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))))
    hands = np.sort(arrays.cards.reshape(count, 36), axis=1)
    whole = bool((hands == np.arange(36)).all())
    quantity = {
        "deals": count,
        "tricks": 9 * count,
        "tricks from four points of view": 36 * count,
        "mode decisions": count + pushes,
        "pushes": pushes,
    }
    return {
        "quantity": [{"what": what, "here": number, "thesis": THESIS.get(what)} for what, number in quantity.items()],
        "quality": [
            {"what": "deals left out because they did not end or broke the rules", "here": header.incomplete},
            {"what": "deals that break the rules", "here": int(found.broken.sum())},
            {
                "what": "deals with all 36 cards",
                "here": count if whole else int((hands == np.arange(36)).all(axis=1).sum()),
            },
            {"what": "deals that are there twice", "here": count - different},
            {"what": "cards that were the only legal one", "here": f"{forced / (36 * count):.1%}"},
            {"what": "real choices of a card", "here": len(choices)},
            {"what": "different positions among them", "here": len(np.unique(choices))},
        ],
        "modes": [
            {"mode": MODES[mode], "chosen": int(chosen), "share": f"{chosen / count:.1%}"}
            for mode, chosen in enumerate(np.bincount(arrays.mode, minlength=6)[:6])
        ],
        "by trick": [
            {
                "trick": trick + 1,
                "legal cards": found.legal[trick] / (4 * count),
                "forced": f"{found.forced[trick] / (4 * count):.1%}",
            }
            for trick in range(9)
        ],
        "points": [
            {"what": "of the starter's team", "mean": float(_of_starter(found, arrays).mean())},
            {
                "what": "of the other team",
                "mean": float(found.points.sum(axis=1).mean() - _of_starter(found, arrays).mean()),
            },
        ],
        "players": [
            {"player": name, "seats": int((arrays.players == number).sum())}
            for number, name in enumerate(header.players)
        ],
        "teacher": header.teacher or "-",
    }


def _of_starter(found: Survey, arrays: DealArrays) -> NDArray[np.int64]:
    points: NDArray[np.int64] = found.points[np.arange(len(found.points)), arrays.starter % 2]
    return points
