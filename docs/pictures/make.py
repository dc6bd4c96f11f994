"""Draw the pictures of the README and the docs from real positions: python docs/pictures/make.py"""

from pathlib import Path

import spielwerk as sw

HERE = Path(__file__).parent
BOARDS = {  # game -> (agent that plays up to the position, seed, decisions)
    "2048": ("mc:iterations=30", 4, 420),
    "qwixx": ("alphaqwixx", 7, 22),
    "jass": ("rules", 3, 22),
    "clever": ("net", 5, 24),
    "speed": ("dommeai:levels=4", 3, 150),
}


def position(name: str) -> sw.Position:
    spec, seed, decisions = BOARDS[name]
    game, agent = sw.game(name), sw.agent(spec)
    rngs = [sw.spawn(seed, seat) for seat in range(game.seats)]
    found = game.new(seed)
    for _ in range(decisions):
        if found.over:
            break
        found.play({seat: agent.decide(found.view(seat), sw.Budget(), rngs[seat]).action for seat in found.actors})
    return found


def main() -> None:
    for name in BOARDS:
        if name in sw.game_names():
            found = position(name)
            seat = found.actors[0] if found.actors else 0
            (HERE / f"{name}.svg").write_text(found.view(seat).svg)


if __name__ == "__main__":
    main()
