"""Agent, Decision, Policy, and how an agent is written: `name:key=value,key=value`.

An agent is a frozen dataclass: its fields are its options. `Annotated[int, Range(1, 64), "help"]` says which numbers an
option takes, and the help that the command line, the docs and the web app show. A value may be an agent itself, in
parentheses: `mc:playouts=(greedy)`; several agents are added up: `vote:agents=(mctse:iterations=3500)*10+(mc)`.
"""

import math
import re
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, Union, get_args, get_origin, get_type_hints

from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit, UnknownName, quoted
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.core.words import say

MOST = 2**53  # numbers in options stay below it
LONGEST = 20_000  # characters of an agent with all agents inside it
DEEPEST = 20  # parentheses, or agents, inside each other


@dataclass(frozen=True)
class Decision:
    """What an agent decided, and why. values[i], visits[i] and error[i] belong to the i-th legal action."""

    action: int
    values: tuple[float, ...] | None = None  # in `unit`, more is better
    visits: tuple[int, ...] | None = None  # how much work went into each
    error: tuple[float, ...] | None = None  # standard error of each value
    unit: str = "points"  # points = expected points at the end; lead = expected lead over the best other team, in
    # points; win = chance to win; likely = how likely a policy is to choose it; margin, worth = comparable only among
    # themselves
    within: str = ""  # what ends there if it is not the match, as a phrase of the game: "in this deal"
    line: tuple[int, ...] = ()  # the expected continuation
    notes: dict[str, Any] = field(default_factory=dict)


class Policy(NamedTuple):
    """A compiled decision rule: a kernel `policy(s, seat, weights, scratch, rng) -> action` and its weights.

    The weights may hold work space: who works in several threads asks for a policy in each."""

    function: Callable[..., Any]
    weights: Any
    room: Room = Room()  # the work space that it asks for
    searches: bool = False  # whether it looks ahead, which takes many times as long as a rule

    def act(self, view: View, rng: Rng) -> int:
        """What the rule does in a position."""
        act = specialise(entry.policy_at, view.game, policy=self.function)
        return int(act(view.state, view.seat, self.weights, view.game.scratch(self.room), rng))


@dataclass(frozen=True)
class Configured:
    """Something with a name and options that is written as `name:key=value,key=value`: agents and learners."""

    name: ClassVar[str]
    presets: ClassVar[Mapping[str, Mapping[str, str]]] = {}  # options by name, written preset=NAME; others may follow

    def __post_init__(self) -> None:
        """Refuse numbers outside their ranges. Who checks more calls this first: `super().__post_init__()`."""
        for option in option_help(type(self)).values():  # type: ignore[arg-type]
            value = getattr(self, option.name)
            if option.range is not None and value is not None:
                option.range.check(say("{name}: option {option}", name=self.name, option=option.name), value)

    @property
    def spec(self) -> str:
        """The agent as it is written; only what differs from the defaults."""
        parts = []
        for option in fields(self):
            value = getattr(self, option.name)
            if option.default is not MISSING and value == option.default:
                continue
            parts.append(f"{option.name}={as_option(value)}")
        return self.name + (":" + ",".join(parts) if parts else "")

    @classmethod
    def build(cls, options: dict[str, str], nested: Callable[[str], "Agent"]) -> Self:
        """An agent from option texts; `nested` makes an agent from the text of an inner one."""
        known = option_help(cls)  # type: ignore[arg-type]
        values: dict[str, Any] = {}
        if "preset" in options:
            name = options["preset"]
            if name not in cls.presets:
                raise UnknownName(say("preset of {name}", name=cls.name), name, cls.presets)
            options = {**cls.presets[name], **{key: text for key, text in options.items() if key != "preset"}}
        for key, text in options.items():
            if key not in known:
                raise UnknownName(say("option of {name}", name=cls.name), key, known)
            where = say("{name}: option {option}", name=cls.name, option=key)
            _check_number(text, known[key].range, where)
            values[key] = _parse(text, known[key].type, where, nested)
        try:
            return cls(**values)
        except TypeError:
            missing = [o.name for o in known.values() if o.default is MISSING and o.name not in values]
            wanted = ", ".join(f"{name}=…" for name in missing)
            raise SpielwerkError(say("{name} needs {options}", name=cls.name, options=wanted)) from None

    def __str__(self) -> str:
        return self.spec


@dataclass(frozen=True)
class Agent(Configured, ABC):
    """Somebody who decides. Subclass it, give it a `name`, options as fields, and `decide`."""

    @abstractmethod
    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        """An action for the seat of `view`."""

    def why_not(self, game: Game) -> str | None:
        """Why this agent cannot play `game`, in a clause; None if it can."""
        return None

    def policy(self, game: Game) -> Policy | None:
        """The agent as a compiled rule, if it is cheap enough for whole matches in compiled code."""
        return None

    def require(self, game: Game) -> None:
        reason = self.why_not(game)
        if reason:
            phrase = "{agent} cannot play {game}: {reason}"
            raise Unfit(say(phrase, agent=self.name, game=game.title, reason=reason))


class OptionHelp(NamedTuple):
    name: str
    type: Any
    default: Any  # MISSING if there is none
    help: str
    range: Range | None = None  # of a number


@cache
def option_help(cls: Any) -> dict[str, OptionHelp]:
    """The options of an agent or learner class, with types, defaults and help: the one source for CLI, docs and web."""
    hints = get_type_hints(cls, include_extras=True) if fields(cls) else {}
    found = {}
    for option in fields(cls):
        hint = hints[option.name]
        hint, *more = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        text = next((part for part in more if isinstance(part, str)), "")
        limits = next((part for part in more if isinstance(part, Range)), None)
        found[option.name] = OptionHelp(option.name, hint, option.default, text, limits)
    return found


def _check_number(text: str, limits: Range | None, where: str) -> None:
    """Refuse a number outside its range, however large it is; what is no number is refused elsewhere."""
    try:
        number = float(text)
    except ValueError:
        return
    if limits is not None and not math.isnan(number):
        limits.check(where, int(number) if number.is_integer() else number)


def _parse(text: str, hint: Any, where: str, nested: Callable[[str], Agent]) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = [arm for arm in get_args(hint) if arm is not type(None)]
        if text.lower() == "none" and len(inner) < len(get_args(hint)):
            return None
        return _parse(text, inner[0], where, nested)
    if origin is Literal:
        allowed = [str(choice) for choice in get_args(hint)]
        if text not in allowed:
            phrase = "{option} takes one of {allowed}, not '{value}'"
            raise SpielwerkError(say(phrase, option=where, allowed=", ".join(allowed), value=quoted(text)))
        return get_args(hint)[allowed.index(text)]
    if hint is bool:
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise SpielwerkError(say("{option} takes true or false, not '{value}'", option=where, value=quoted(text)))
        return text.lower() in ("true", "1", "yes")
    if isinstance(hint, type) and issubclass(hint, Agent):
        return nested(text)
    if origin is tuple:
        return tuple(agent for term in split_outside_parentheses(text, "+") for agent in _times(term, where, nested))
    if hint in (int, float):
        try:
            number = hint(text)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            kind = say("a whole number") if hint is int else say("a number")
            raise SpielwerkError(
                say("{option} takes {kind}, not '{value}'", option=where, kind=kind, value=quoted(text))
            )
        if abs(number) >= MOST:
            raise SpielwerkError(say("{option} cannot be as large as {value}", option=where, value=quoted(text)))
        return number
    return text


def _times(term: str, where: str, nested: Callable[[str], Agent]) -> list[Agent]:
    """'(mc)*3' -> three agents."""
    spec, star, written = term.strip().rpartition("*")
    if not star or ")" in written:
        return [nested(_bare(term))]
    count = whole_number(written)
    if count is None or not 1 <= count <= 1000:
        phrase = "{option} takes between 1 and 1000 agents of a kind, not {count}"
        raise SpielwerkError(say(phrase, option=where, count=quoted(written.strip())))
    return [nested(_bare(spec))] * count


def as_option(value: Any) -> str:
    """A value as it is written in a spec; what has a comma stands in parentheses."""
    if isinstance(value, Agent):
        return f"({value.spec})"
    if isinstance(value, tuple):
        runs = [(agent, len(list(run))) for agent, run in groupby(value)]
        return "+".join(f"({agent.spec})" + (f"*{count}" if count > 1 else "") for agent, count in runs)
    text = str(value)
    return f"({text})" if "," in text else text


# --- the written form ------------------------------------------------------------------------------------------------


def whole_number(text: str) -> int | None:
    """The whole number that is written in plain digits; None if it is none, or one of more than 18 digits."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _bare(text: str) -> str:
    """Without the parentheses around everything, if there are any."""
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return _bare(text[1:-1])


def split_outside_parentheses(text: str, separator: str = ",") -> list[str]:
    if len(text) > LONGEST:
        phrase = "'{text}' is too long: {count} characters; at most {most} are possible"
        raise SpielwerkError(say(phrase, text=quoted(text), count=len(text), most=LONGEST))
    parts, depth, current = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            break
        if depth > DEEPEST:
            raise too_deep(text)
        if c == separator and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += c
    if depth:
        raise SpielwerkError(say("'{text}': the parentheses do not match", text=quoted(text)))
    return [*parts, current]


def too_deep(text: str) -> SpielwerkError:
    phrase = "'{text}' is nested too deeply; at most {most} agents can be inside each other"
    return SpielwerkError(say(phrase, text=quoted(text), most=DEEPEST))


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """'mc:iterations=100' -> ('mc', {'iterations': '100'})."""
    name, _, rest = text.strip().partition(":")
    options: dict[str, str] = {}
    for part in split_outside_parentheses(rest) if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise SpielwerkError(
                say("'{part}' in '{text}' is no option; write key=value", part=quoted(part), text=quoted(text))
            )
        if key.strip() in options:
            raise SpielwerkError(say("'{text}' has the option {option} twice", text=quoted(text), option=key.strip()))
        options[key.strip()] = _bare(value)
    return name.strip(), options


def split_specs(text: str) -> list[str]:
    """'random,mc:iterations=10,rollout_depth=5,greedy' -> three specs. `key=value` belongs to the spec before it."""
    specs: list[str] = []
    for part in split_outside_parentheses(text):
        if specs and re.match(r"^\s*\w+\s*=", part):
            specs[-1] += ("," if ":" in specs[-1] else ":") + part
        elif part.strip():
            specs.append(part.strip())
    return specs
