"""How answers are shown: what one agent thinks of every move, all that a network says, several agents side by side."""

from math import inf, isfinite
from typing import Any, NamedTuple

from rich.table import Table

from spielwerk.cli.app import console
from spielwerk.core.agent import Decision
from spielwerk.search.net_look import Look, Said, of_every_action

FEW = 12  # actions of a game, up to which all are shown
LIKELY, MOST = 0.01, 8  # only so many illegal moves that a network holds as likely are shown without --all
CHOSEN = "→"


class Answer(NamedTuple):
    spec: str  # of the agent
    decision: Decision
    seen: Look | None  # of a network: all that it says


def show_answer(view: Any, answer: Answer, every: bool) -> None:
    console.print(view.text, highlight=False, markup=False)
    if answer.seen is None:
        _show_values(view, answer.decision)
    else:
        _show_network(view, answer.decision, answer.seen, every)
    _show_choice(view, answer)


def _show_choice(view: Any, answer: Answer, mark: str = "") -> None:
    move = view.game.move_text(answer.decision.action)
    console.print(f"{mark}{answer.spec} plays {move}", highlight=False, markup=False, soft_wrap=True)


def _show_values(view: Any, decision: Decision) -> None:
    table = Table("", "move", f"{decision.unit} {decision.within}".strip(), box=None, pad_edge=False)
    for action, value in sorted(_values(view, decision).items(), key=lambda item: -_low(item[1])):
        chosen = CHOSEN if action == decision.action else ""
        table.add_row(chosen, view.game.move_text(action), _figure(value, decision.unit))
    console.print(table)


def _values(view: Any, decision: Decision) -> dict[int, float | None]:
    values = decision.values or (None,) * len(view.legal)
    return dict(zip(view.legal, values, strict=True))


def _low(value: float | None) -> float:
    return -inf if value is None or not isfinite(value) else value


def _figure(value: float | None, unit: str) -> str:
    """A value in its unit; nothing where nothing was said."""
    if value is None or not isfinite(value):
        return ""
    if unit in ("points", "lead"):
        return f"{value:,.1f}"
    return f"{100 * value:.1f} %" if unit in ("likely", "win") else f"{value:.4f}"


# --- networks --------------------------------------------------------------------------------------------------------


def _show_network(view: Any, decision: Decision, seen: Look, every: bool) -> None:
    rows = of_every_action(view, seen)
    shown = rows if every or len(rows) <= FEW else _worth_showing(rows)
    columns: list[tuple[str, str, str]] = []
    if seen.before is not None:
        columns += [("before", "before the mask", "likely"), ("after", "after the mask", "likely")]
    if seen.q is not None:
        columns.append(("q", f"Q ({seen.unit})", seen.unit))
    if seen.left is not None:
        columns.append(("left", f"leaves ({seen.unit} at the end)", seen.unit))
    table = Table("", "move", box=None, pad_edge=False)
    for _, title, _ in columns:
        table.add_column(title, justify="right")
    for said in shown:
        cells = [_figure(getattr(said, name), unit) for name, _, unit in columns]
        mark = CHOSEN if said.action == decision.action else "" if said.legal else "×"
        table.add_row(mark, view.game.move_text(said.action), *cells, style=None if said.legal else "dim")
    console.print(table)
    _show_masked(rows, len(rows) - len(shown))
    if seen.value is not None:
        what = "chance to win" if seen.unit == "win" else f"{seen.unit} still to come"
        console.print(f"value of the position: {_figure(seen.value, seen.unit)} ({what})", highlight=False)


def _worth_showing(rows: list[Said]) -> list[Said]:
    """All legal moves, and of the others those that a network holds likely."""
    likely = [said for said in rows if not said.legal and said.before is not None and said.before >= LIKELY]
    return [said for said in rows if said.legal] + likely[:MOST]


def _show_masked(rows: list[Said], left_out: int) -> None:
    illegal = [said.before for said in rows if not said.legal and said.before is not None]
    parts = [f"{100 * sum(illegal):.1f} % of the probability is on illegal moves (×)"] if illegal else []
    if left_out:
        parts.append(f"--all shows {left_out} more")
    if parts:
        console.print("; ".join(parts), highlight=False)


# --- side by side ----------------------------------------------------------------------------------------------------


class Column(NamedTuple):
    title: str
    unit: str
    values: dict[int, float | None]
    chosen: int | None  # the action that is marked here


def show_beside(view: Any, answers: list[Answer], every: bool) -> None:
    """One row per move, one column per agent, two for a policy: before and after the mask."""
    console.print(view.text, highlight=False, markup=False)
    columns = [column for number, answer in enumerate(answers, 1) for column in _columns(view, number, answer)]
    table = Table("move", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.title, justify="right")
    for action in _rows(view, answers, columns, every):
        legal = action in view.legal
        cells = []
        for column in columns:
            figure = _figure(column.values.get(action), column.unit)
            cells.append(f"{CHOSEN} {figure}".strip() if action == column.chosen else figure)
        name = view.game.move_text(action)
        table.add_row(name if legal else f"{name} ×", *cells, style=None if legal else "dim")
    console.print(table)
    for number, answer in enumerate(answers, 1):
        _show_choice(view, answer, f"({number}) ")


def _columns(view: Any, number: int, answer: Answer) -> list[Column]:
    decision, seen = answer.decision, answer.seen
    if seen is None or seen.before is None:
        title = f"({number}) {decision.unit}" if decision.values else f"({number})"
        return [Column(title, decision.unit, _values(view, decision), decision.action)]
    rows = of_every_action(view, seen)
    after = {said.action: said.after for said in rows if said.legal}
    return [
        Column(f"({number}) before", "likely", {said.action: said.before for said in rows}, None),
        Column(f"({number}) after", "likely", after, decision.action),
    ]


def _rows(view: Any, answers: list[Answer], columns: list[Column], every: bool) -> list[int]:
    """Legal moves first, what most agents choose before the rest; then illegal ones that a network holds likely."""
    choices = [answer.decision.action for answer in answers]
    highest = {
        action: max(_low(column.values.get(action)) for column in columns) for action in range(view.game.spec.actions)
    }
    by_choice = [column for column in columns if column.chosen is not None]
    legal = sorted(view.legal, key=lambda action: (-choices.count(action), -_low(by_choice[0].values.get(action))))
    others = sorted((action for action in highest if action not in view.legal), key=lambda action: -highest[action])
    if not every and view.game.spec.actions > FEW:
        others = [action for action in others if highest[action] >= LIKELY][:MOST]
    return [*legal, *others]
