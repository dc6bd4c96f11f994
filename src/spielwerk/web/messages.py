"""What goes over the wire: bodies, answers and WebSocket messages, as the OpenAPI description shows them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spielwerk.arena.workers import MOST_OPENING

LARGEST_SEED = 2**53 - 1  # what JSON keeps exactly
MOST_MATCHES = 100_000_000  # of an evaluation or tournament, wherever it was begun
MOST_EVENTS = 10_000_000  # of a match
MOST_SEATS_HELD = 400  # of one visitor that are looked at together

MatchId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{12}$", description="id of a match")]
GameId = Annotated[str, Field(min_length=1, max_length=40)]
AgentSpec = Annotated[str, Field(min_length=1, max_length=400, description="an agent, written as name:key=value,…")]
Seat = Annotated[int, Field(ge=0, le=63)]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED, description="where dice and cards come from")]
Opening = Annotated[int, Field(ge=0, le=MOST_OPENING, description="random first moves of every match")]


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid")


# --- what can be played ---------------------------------------------------------------------------------------------


class OptionInfo(Message):
    name: str
    title: str = Field(description="the name in words")
    kind: Literal["switch", "choice", "number"]
    choices: list[str] = Field(description="of a choice: the names of low to high")
    default: int
    low: int
    high: int
    help: str = Field(description="a sentence")


class Rung(Message):
    strength: str
    agent: str
    measured: str = Field(description="what was measured of it, in words; empty: nothing")


class VariantInfo(Message):
    name: str
    title: str = Field(description="the name in words")
    help: str = Field(description="a sentence")
    values: dict[str, int] = Field(description="every option as the variant has it")
    sets: list[str] = Field(description="the options that it sets, in words")


class LookInfo(Message):
    """What every viewer may choose for the own eyes; asked for by the query parameter `looks` or the header X-Looks."""

    name: str
    title: str = Field(description="the name in words")
    choices: list["LookChoice"] = Field(description="the first is the default")


class LookChoice(Message):
    name: str
    title: str = Field(description="the name in words")


class GameInfo(Message):
    id: str
    title: str
    summary: str
    seats: list[int]
    variants: list[VariantInfo]
    offered: str = Field(description="the variant that people are offered first")
    options: list[OptionInfo]
    looks: list[LookInfo]
    teams: list[list[int]] = Field(description="for every number of seats: the team of each seat")
    ladder: list[Rung]
    chance: bool
    luck: str = Field(description="what chance brings, in words: dice, cards; empty: not said, or no chance")
    hidden: bool
    simultaneous: bool
    keys: dict[str, str] = Field(description="key, named as in KeyboardEvent.key -> the move that it plays")
    swipes: dict[str, str] = Field(description="up, down, left or right -> the move that a finger plays so")
    countdown: bool = Field(description="whether it can be played with a time for every round")
    has_rules: bool = Field(description="whether the rules can be read at /api/games/{game}/rules")
    ready: bool = Field(description="False: compiling on first use is still to be done or going on")


class Rules(Message):
    title: str = Field(description="of the game")
    text: str = Field(description="Markdown, in the visitor's language if it is written in it, else in English")
    language: str = Field(description="of the text: en, de …")


class AgentOption(Message):
    name: str
    type: str
    default: str | None
    help: str
    low: float | None = Field(description="the lowest number that it takes; None: it is no number")
    high: float | None = Field(description="the highest")


class AgentInfo(Message):
    name: str
    help: str
    options: list[AgentOption]


class Status(Message):
    version: str
    preparing: list[str] = Field(description="titles of the games that are being compiled right now")
    matches: int = Field(description="matches at the tables right now")
    any_agent: bool = Field(description="whether agents may be written out, or only the ladders' are allowed")
    largest: int = Field(description="bytes that a request may have")
    job_matches: int = Field(description="matches that an evaluation or tournament may have")
    job_seconds: float | None = Field(description="seconds that it may run; null: as long as it takes")
    in_charge: bool = Field(description="whether the token of who runs the server was shown, for whom no limit holds")


class Pictures(Message):
    title: str
    svgs: list[str]


# --- starting a match -----------------------------------------------------------------------------------------------


class PlaceChoice(Message):
    """Who is to sit on a seat: me, a friend by a link, or an agent."""

    who: Literal["me", "friend", "agent"]
    agent: AgentSpec | None = None
    seconds: Annotated[float, Field(gt=0, le=60)] | None = Field(None, description="thinking time per decision")


class NewMatch(Message):
    game: GameId
    variant: Annotated[str, Field(max_length=200)] | None = None
    places: Annotated[list[PlaceChoice], Field(min_length=1, max_length=16)]
    seed: Seed | None = None
    countdown: Annotated[float, Field(ge=0.2, le=600)] | None = Field(
        None, description="seconds for every round; null: as long as everybody needs"
    )


class Invitation(Message):
    seat: int
    invitation: str


class SeatToken(Message):
    seat: int
    token: str


class Started(Message):
    """Tokens are told once, here, and never again."""

    match: str
    tokens: list[SeatToken] = []
    invitations: list[Invitation] = []
    control: str | None = None


class Claim(Message):
    invitation: Annotated[str, Field(min_length=1, max_length=100)]


class Branch(Message):
    number: Annotated[int, Field(ge=0, le=MOST_EVENTS, description="events that stay")]
    seat: Seat


# --- a match --------------------------------------------------------------------------------------------------------


class Player(Message):
    seat: int
    kind: Literal["person", "agent"]
    agent: str | None
    strength: str | None
    seated: bool = Field(description="False: a friend has not come yet")
    ready: bool = Field(description="has chosen already, while others still think")


class Choice(Message):
    action: int
    move: str
    name: str = Field(description="the move in words")


class Happening(Message):
    """One event as the viewer heard of it."""

    number: int
    kind: Literal["moves", "chance"]
    moves: list["SeatMove"] = []
    text: str | None = Field(default=None, description="a chance event; null: not for this viewer's eyes")
    news: list[str] = Field(default=[], description="what it brought beside the moves themselves, a line each")


class SeatMove(Message):
    seat: int
    move: str
    name: str = Field(description="the move in words")


class Note(Message):
    """Something that an agent says of its decision."""

    name: str
    text: str


class Thought(Message):
    """What the agent on a seat noted when it decided."""

    seat: int
    notes: list[Note]


Came = Annotated[
    dict[str, list[str]],
    Field(description="pieces that had other names in the picture before, and the names that they had there"),
]


class Moment(Message):
    """Something that must have been seen before the match goes on."""

    seconds: float = Field(description="how long the picture stands at normal speed")
    title: str
    table: list[list[str]] = Field(description="rows of cells; the first is the head, first cells are labels")


class Scene(Message):
    """All that a viewer may know of a match right now."""

    type: Literal["scene"] = "scene"
    match: str
    game: str
    title: str
    variant: str
    rules: str = Field(description="the variant in words")
    origin: str
    number: int = Field(description="events so far")
    status: Literal["playing", "over", "resigned"]
    seat: int = Field(description="from whose place the board is drawn; -1: a spectator")
    held: list[int] = Field(description="seats whose tokens the viewer showed")
    svg: str
    moment: Moment | None = Field(description="what the last event showed that must have been seen")
    since: int | None = Field(description="events of the scene before, if the server knows it")
    came: Came
    legal: list[Choice]
    actors: list[int]
    waiting: list[int] = Field(description="seats that have not chosen yet")
    scores: list[float]
    teams: list[int]
    winners: list[int]
    resigned: int | None
    players: list[Player]
    happened: list[Happening]
    may_undo: bool
    seed: int | None = Field(description="told when the match is over")
    countdown: float | None = Field(description="seconds for every round; null: as long as everybody needs")
    thoughts: list[Thought] = Field(description="of the agents, on the last event; empty while people play")


class Action(Message):
    seat: Seat
    action: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    move: Annotated[str, Field(max_length=200)] | None = None
    number: Annotated[int, Field(ge=0, le=MOST_EVENTS)] | None = Field(
        None, description="events that the player had seen"
    )


class SeatOnly(Message):
    seat: Seat


class Pace(Message):
    paused: bool | None = None
    seconds: Annotated[float, Field(ge=0, le=10)] | None = Field(None, description="between two events")


class Listed(Message):
    match: str
    game: str
    title: str
    variant: str
    rules: str = Field(description="the variant in words")
    origin: str
    status: str
    players: list[Player]
    scores: list[float] | None
    created: float
    updated: float


# --- how somebody came to the points --------------------------------------------------------------------------------


class HeldSeat(Message):
    """A seat that the visitor held in a match."""

    match: MatchId
    token: Annotated[str, Field(min_length=1, max_length=100)]


class HeldSeats(Message):
    seats: Annotated[list[HeldSeat], Field(max_length=MOST_SEATS_HELD)]


class ProfilePart(Message):
    """One piece of a profile, as the game declares it."""

    title: str
    labels: list[str]
    figures: list[float] = Field(description="one for each label")
    share: bool = Field(description="the figures are shares of the matches, from 0 to 1")
    notes: list[str] = Field(description="a few words on every label, or nothing")


class Profile(Message):
    """Figures of finished matches."""

    matches: int
    mean: float = Field(description="points")
    median: float
    best: float
    worst: float
    sd: float | None = Field(description="standard deviation of the points; null: there is only one match")
    win_share: float | None = Field(description="null: one seat, or an agent that plays against itself")
    parts: list[ProfilePart]


class OwnProfile(Message):
    """What the visitor has played at one kind of table."""

    variant: str
    rules: str = Field(description="the variant in words")
    seats: int
    profile: Profile


class AgentProfile(Message):
    """An agent of the ladder, on all seats of a table."""

    agent: str
    strength: str
    profile: Profile


class AgentProfiles(Message):
    done: bool = Field(description="False: other agents still play; ask again")
    agents: list[AgentProfile] = Field(description="those that have played, from the weakest on")


# --- hints and review -----------------------------------------------------------------------------------------------

Unit = Literal["points", "lead", "win", "rank"]
Within = Annotated[str, Field(description="where the expectation ends if not with the match, in words: 'in this deal'")]


class HintWanted(Message):
    seat: Seat
    step: Literal["where", "what"]
    agent: AgentSpec | None = Field(None, description="who is asked; null: the strongest who speaks in figures")


class Judged(Message):
    """One legal action as the adviser sees it."""

    action: int
    move: str
    name: str = Field(default="", description="the move in words")
    rank: int = Field(description="1 = best")
    value: float | None = Field(description="in the unit of the hint or review; null: only the rank is known")
    low: float | None = Field(description="lower end of the 95 % interval; null: not known")
    high: float | None


class Hint(Message):
    step: Literal["where", "what"]
    number: int
    seat: int
    agent: str
    unit: Unit
    within: Within = ""
    look_at: list[int] = Field(description="actions worth a look, in the order of their numbers")
    actions: list[Judged] = Field([], description="empty in the first step")
    notes: list[Note] = Field(default=[], description="what the adviser says besides; empty in the first step")


Verdict = Literal["best", "good", "inaccuracy", "mistake", "blunder", "forced"]


class Judgement(Message):
    """One decision of a finished match."""

    number: int = Field(description="events before the decision")
    seat: int
    move: str
    best: str
    verdict: Verdict
    value: float | None = Field(description="what the best move promises, in the unit of the review")
    lost: float | None = Field(description="what the move gave away against the best, in the same unit")
    share: float | None = Field(description="what that costs as a chance to win, 0 to 1; verdicts are thresholds on it")
    actions: list[Judged]


class Review(Message):
    match: str
    done: float = Field(description="0 to 1")
    agent: str
    unit: Unit
    within: Within = ""
    judged: int
    decisions: int
    judgements: list[Judgement]
    worst: list[int] = Field(description="places in `judgements` of the three costliest decisions")


# --- looking into networks -------------------------------------------------------------------------------------------


class NetworkInfo(Message):
    """A network that can be asked about positions of a table."""

    name: str = Field(description="by which it is asked for")
    title: str
    heads: list[Literal["policy", "q", "value"]]
    encoding: str = Field(description="how the game is told to it")


class NetworkAction(Message):
    """What a network says of one action; null: nothing."""

    action: int
    move: str
    name: str = Field(description="the move in words")
    legal: bool
    before: float | None = Field(description="probability before illegal actions are masked")
    after: float | None = Field(description="probability afterwards: 0 where illegal")
    q: float | None = Field(description="Q value, in the unit")
    left: float | None = Field(description="value of what the action leaves at the end of the match, in the unit")


class NetworkLook(Message):
    network: str
    title: str
    seat: int
    value: float | None = Field(description="of the position: what is still to come, or the chance to win")
    unit: str = Field(description="points, lead (over the best other team, in points) or win; empty: it says none")
    best: int | None = Field(description="the legal action that it likes best; null: it knows none of them")
    actions: list[NetworkAction] = Field(
        description="all of the game: legal ones first, then by what the network likes"
    )
    notation: str | None = Field(description="what the seat knows, as positions are written; null: the game has none")


class WrittenLook(NetworkLook):
    """The same of a position that somebody wrote, with its board."""

    svg: str


# --- replay ---------------------------------------------------------------------------------------------------------


class Frame(Message):
    match: str
    game: str
    title: str
    variant: str
    number: int
    frames: int
    seat: int
    svg: str
    moment: Moment | None = Field(description="what the last event showed that must have been seen")
    came: Came
    actors: list[int]
    scores: list[float]
    teams: list[int]
    players: list[Player]
    happened: Happening | None
    thoughts: list[Thought] = Field(description="what the agents noted when they chose the moves of the last event")
    over: bool


# --- arena and learning ---------------------------------------------------------------------------------------------


class NewEvaluation(Message):
    game: GameId
    agent: AgentSpec
    opponents: AgentSpec | None = None
    seats: Annotated[int, Field(ge=1, le=16)] | None = None
    variant: Annotated[str, Field(max_length=200)] | None = None
    games: Annotated[int, Field(ge=1, le=10_000)] = 100
    seed: Seed = 0
    opening: Opening = 0


class NewTournament(Message):
    game: GameId
    agents: Annotated[list[AgentSpec], Field(min_length=2, max_length=12)]
    seats: Annotated[int, Field(ge=1, le=16)] | None = None
    variant: Annotated[str, Field(max_length=200)] | None = None
    rounds: Annotated[int, Field(ge=1, le=1_000)] = 20
    seed: Seed = 0
    opening: Opening = 0


class Job(Message):
    id: str
    kind: Literal["evaluation", "tournament"]
    title: str
    game: str
    state: Literal["waiting", "running", "stopping", "done", "failed", "stopped", "interrupted"]
    done: float
    line: str = Field(description="rate and figures so far")
    problem: str | None = None
    created: float
    held: bool = Field(
        default=False, description="only who started it may stop it or go on with it, by the token that he got"
    )
    result: dict[str, Any] | None = Field(default=None, description="how it stands, or what came out")


class StartedJob(Job):
    token: str | None = Field(description="told once, to who starts it; null: the one that was shown stays")


class Line(Message):
    label: str
    xs: list[float]
    ys: list[float]


class LearningRun(Message):
    name: str
    game: str = ""
    seats: int | None = None
    variant: str | None = None
    learner: str = ""
    network: bool = Field(default=False, description="whether it has learned a network that can be looked into")
    across: str = ""
    up: str = ""
    lines: list[Line] = []
    rows: int = 0
    done: float | None = Field(default=None, description="0 to 1; null: not known")
    line: str = Field(default="", description="rate and figures so far")
    state: Literal["running", "ended", "silent"] = Field(default="silent", description="silent: not heard of any more")
    updated: float = 0.0
    problem: str | None = None


class Problem(Message):
    detail: str | list[Any]
