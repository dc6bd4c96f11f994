"""DommeAI's queue in plain Python, as slow and as simple as the study's, and boards that are drawn in a test."""

from collections import deque

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn

ORDER = ("speed_up", "slow_down", "change_nothing", "turn_left", "turn_right")  # of the study
LEGAL = ("turn_left", "turn_right", "slow_down", "speed_up", "change_nothing")  # of the game
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def table(picture, speed=1, rounds=0, enemy_speed=1):
    """A match of two. `^>v<` is the own head, `A` to `D` an enemy who drives up, right, down or left, `#` a trail; an
    enemy that is not drawn sits in a cell of his own below the board."""
    lines = [line.strip() for line in picture.split() if line.strip()]
    lines = [line.ljust(max(map(len, lines)), "#") for line in lines]
    if not any(letter in "ABCD" for line in lines for letter in line):
        lines += ["#" * len(lines[0]), "C" + "#" * (len(lines[0]) - 1)]
    height, width = len(lines), len(lines[0])
    taken, heads = [], {}
    for y, line in enumerate(lines):
        for x, letter in enumerate(line):
            if letter in "^>v<":
                heads[0] = (x, y, "^>v<".index(letter))
            elif letter in "ABCD":
                heads[1] = (x, y, "ABCD".index(letter))
            elif letter == "#":
                taken.append(y * width + x)
    names = ("up", "right", "down", "left")
    start = "; ".join(f"{x},{y} {names[way]}" for x, y, way in (heads[0], heads[1]))
    position = registry.game("speed", 2).opening(0).happen(f"{width}x{height}; {start}")
    position.state["cells"][0, taken] = 2
    position.state["speed"][0, :2] = speed, enemy_speed
    position.state["rounds"][0] = rounds
    return position.view(0)


def decided(view, spec="dommeai", budget=None):
    return registry.agent(spec).decide(view, budget or Budget(), spawn(0))


def values_of(decision):
    return dict(zip(LEGAL, decision.values, strict=False))


# --- the queue of the study, in plain Python --------------------------------------------------------------------------


def covered(x, y, way, speed, number):
    cells = [(x + STEPS[way][0] * n, y + STEPS[way][1] * n) for n in range(1, speed + 1)]
    return [cells[0], cells[-1]] if number % 6 == 0 and speed >= 3 else cells


def choices(way, speed):
    """Direction and speed after every move of the study's order; None: the speed is not possible."""
    changes = [(way, speed + 1), (way, speed - 1), (way, speed), ((way + 3) % 4, speed), ((way + 1) % 4, speed)]
    return [(new, fast) if 1 <= fast <= 10 else None for new, fast in changes]


class Queue:
    """Surviving sequences by level and first move as the study finds them, with a queue of heads and coordinates."""

    def __init__(self, view, levels, enemy_board=True):
        s, me = view.state[0], view.seat
        self.width, self.height, number = int(s["width"]), int(s["height"]), int(s["rounds"]) + 1
        head = int(s["x"][me]), int(s["y"][me]), int(s["direction"][me])
        sides = range(self.height), range(self.width)
        plain = {(x, y) for y in sides[0] for x in sides[1] if s["cells"][y * self.width + x] != 0}
        threats, apart = set(), []
        for seat in range(view.game.seats):
            if seat != me and s["alive"] >> seat & 1:
                other = int(s["x"][seat]), int(s["y"][seat])
                apart.append(abs(other[0] - head[0]) + abs(other[1] - head[1]))
                for change in filter(None, choices(int(s["direction"][seat]), int(s["speed"][seat]))):
                    threats.update(covered(*other, *change, number))
        self.board = plain | threats if enemy_board else plain
        room = self.room(*head)
        self.dead_end, self.safe_zone = room < 14, room > 35 and min(apart) > 20
        for board in (self.board, plain):
            self.board, self.log, self.escapes = board, [], set()
            jobs = deque([(*head, int(s["speed"][me]), 0, None, ())])
            while jobs and jobs[0][4] < levels:
                self.check_choices(jobs, number, *jobs.popleft())
            if any(self.log[0]):
                break
        self.log = [level for level in self.log if any(level)]

    def check_choices(self, jobs, number, x, y, way, speed, depth, first, coord):
        if len(self.log) == depth:
            self.log.append([0] * 5)
        for move, change in enumerate(choices(way, speed)):
            if change is None:
                continue
            cells = covered(x, y, *change, number + depth)
            end = x + STEPS[change[0]][0] * change[1], y + STEPS[change[0]][1] * change[1]
            if not self.free(*end) or any(cell in self.board or cell in coord for cell in cells):
                continue
            initial = move if first is None else first
            self.log[depth][initial] += 1
            skipped = set(covered(x, y, *change, 1)) - set(cells)
            if self.dead_end and skipped & self.board and self.room(*end, change[0]) >= 14:
                self.escapes.add(initial)
            jobs.append((*end, *change, depth + 1, initial, (*coord, *cells)))

    def free(self, x, y):
        return 0 <= x < self.width and 0 <= y < self.height and (x, y) not in self.board

    def way(self, x, y, direction):
        cells = [(x, y)]
        while self.free(cells[-1][0] + STEPS[direction][0], cells[-1][1] + STEPS[direction][1]):
            cells.append((cells[-1][0] + STEPS[direction][0], cells[-1][1] + STEPS[direction][1]))
        return cells

    def beside(self, x, y, direction):
        return any(
            self.free(x + STEPS[way][0], y + STEPS[way][1]) for way in ((direction + 1) % 4, (direction + 3) % 4)
        )

    def side(self, x, y, direction):
        ways = [self.way(x, y, (direction + turn) % 4) for turn in (1, 3)]
        turned = [(direction + turn) % 4 for turn in (1, 3)]
        return max(
            max([n for n, cell in enumerate(cells) if self.beside(*cell, new)], default=0)
            for cells, new in zip(ways, turned, strict=True)
        )

    def room(self, x, y, direction):
        found = [0]
        for new in ((direction + 3) % 4, direction, (direction + 1) % 4):
            cells = self.way(x, y, new)
            last = max([n for n, cell in enumerate(cells) if n and self.side(*cell, new)], default=0)
            found.append(last + self.side(*cells[last], new) if last else 0)
        return max(found)

    def values(self, gamma=0.5, strategies=True):
        found = {}
        for move, name in enumerate(ORDER):
            counts = [level[move] for level in self.log]
            if strategies and self.safe_zone and counts:
                counts[0] *= {"speed_up": 0.5, "slow_down": 1.5}.get(name, 1)
            total = sum(gamma**level * count for level, count in enumerate(counts))
            total += 500 if strategies and move in self.escapes else 0
            found[name] = total if self.log and self.log[-1][move] else -1.0
        return found


def crowded(seed, seats=2, sides=(8, 12), rounds=40):
    """Positions of a match between short-sighted players, from the start to its end."""
    game = registry.game("speed", seats, f"shortest={sides[0]},longest={sides[1]}")
    players = [registry.agent("dommeai:levels=1"), registry.agent("dommeai:levels=2")]
    position = game.new(seed)
    for _ in range(rounds):
        if position.over:
            return
        yield position.copy()
        views = [position.view(seat) for seat in position.actors]
        position.play({view.seat: players[view.seat % 2].decide(view, Budget(), spawn(0)).action for view in views})
