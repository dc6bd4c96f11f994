"""Which defaults suit every game? Tree searches that differ in one option, on 2048, Qwixx, Jass and Connect Four.

    pip install --no-deps ./examples/plugin
    python benchmarks/defaults.py [--iterations 400] [--share 1.0] [--seed 1]

Every line is `mctse` with its defaults but for what the line says, at equal iterations. Figures are means with 95 %
intervals: 2048 on 3x4 in points; Qwixx in points at a table with `gap`; Jass in points per deal against `rules`;
Connect Four as a share of the wins against `mc` with a sixth of the iterations per action, as many playouts in all.
"""

import argparse

import spielwerk as sw

LINES = (
    "",
    "k=0.3",
    "k=1.4",
    "selection=puct,k=1",
    "selection=puct,k=2",
    "selection=puct,k=4",
    "selection=uct",
    "selection=uctn",
    "rollout_depth=20",
    "tree_depth=1",
    "max_nodes=500",
    "final=max",
    "preset=kutsch",
)


def row(options: str, iterations: int, share: float, seed: int) -> list[str]:
    agent = f"mctse:iterations={iterations}" + (f",{options}" if options else "")

    def games(count: int) -> int:
        return max(4, int(count * share))

    def shown(mean: float, interval: tuple[float, float] | None, digits: int) -> str:
        half = (interval[1] - interval[0]) / 2 if interval else float("nan")
        return f"{mean:,.{digits}f} ± {half:,.{digits}f}"

    alone = sw.evaluate("2048", agent, variant="3x4", games=games(60), seed=seed)
    dice = sw.evaluate("qwixx", agent, opponents="gap", games=games(300), seed=seed)
    cards = sw.evaluate("jass", agent, variant="server-deal", opponents="rules", games=games(600), seed=seed)
    four = sw.evaluate("connect4", agent, opponents=f"mc:iterations={iterations // 6}", games=games(300), seed=seed)
    return [
        f"`{options}`" if options else "defaults",
        shown(alone.mean, alone.ci95, 0),
        shown(dice.mean, dice.ci95, 1),
        shown(cards.mean, cards.ci95, 1),
        shown(100 * (four.win_share or 0.0), four.win_ci95 and (100 * four.win_ci95[0], 100 * four.win_ci95[1]), 1),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=400)
    parser.add_argument("--share", type=float, default=1.0, help="of the matches")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| `mctse` with | 2048 3x4 | Qwixx | Jass, a deal | Connect Four, % won |\n|---|---|---|---|---|", flush=True)
    for options in LINES:
        print("| " + " | ".join(row(options, given.iterations, given.share, given.seed)) + " |", flush=True)


if __name__ == "__main__":
    main()
