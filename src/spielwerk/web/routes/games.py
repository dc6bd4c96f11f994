"""What can be played: the games and the agents."""

import logging
import math
from functools import cache

from fastapi import APIRouter

from spielwerk.core import registry
from spielwerk.core.agent import option_help
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import versions
from spielwerk.core.spec import Look
from spielwerk.web import messages
from spielwerk.web.errors import Missing
from spielwerk.web.language import say
from spielwerk.web.routes.common import GameName, Here, Who, known_game

router = APIRouter()
log = logging.getLogger("spielwerk.web")


@router.get("/api/status", tags=["games"])
async def status(here: Here, who: Who) -> messages.Status:
    hall, limits = here.hall, here.hall.limits
    unlimited = who.in_charge or math.isinf(limits.job_seconds)
    return messages.Status(
        version=versions()["spielwerk"],
        preparing=hall.preparer.compiling,
        matches=len(hall.lives),
        any_agent=limits.any_agent or who.in_charge,
        largest=limits.body,
        job_matches=messages.MOST_MATCHES if who.in_charge else min(limits.job_matches, messages.MOST_MATCHES),
        job_seconds=None if unlimited else limits.job_seconds,
        in_charge=who.in_charge,
    )


@router.get("/api/games", tags=["games"])
async def games(here: Here) -> list[messages.GameInfo]:
    return [game_info(name, here.hall.preparer.is_ready(name)) for name in registry.game_classes(log.warning)]


@router.get("/api/games/{game}", tags=["games"])
async def one_game(game: GameName, here: Here) -> messages.GameInfo:
    return game_info(known_game(game), here.hall.preparer.is_ready(game))


@router.get("/api/games/{game}/pictures", tags=["games"])
async def game_pictures(game: GameName, here: Here) -> messages.Pictures:
    """A few boards of one match, as they follow each other."""
    return await here.pictures.of(known_game(game))


@router.get("/api/games/{game}/rules", tags=["games"])
async def game_rules(game: GameName) -> messages.Rules:
    """The rules as they are implemented."""
    found = registry.game_class(known_game(game))
    title, text = found.say(found.spec.title), found.rules()
    if not text:
        raise Missing(say("{game} comes without written rules", game=title))
    return messages.Rules(title=title, text=text, language=found.rules_language())


@router.get("/api/agents", tags=["agents"])
async def agents() -> list[messages.AgentInfo]:
    return [agent_info(name) for name in registry.agent_names()]


def game_info(name: str, ready: bool) -> messages.GameInfo:
    game = registry.game_class(name)
    spec, game_says = game.spec, game.say
    return messages.GameInfo(
        id=spec.id,
        title=game_says(spec.title),
        summary=game_says(spec.summary),
        seats=list(spec.seats),
        variants=[variant_info(game, variant) for variant in spec.variants],
        offered=spec.offered or next(iter(spec.variants)),
        options=[
            messages.OptionInfo(
                name=option.name,
                title=game.option_name(option),
                kind=option.kind,
                choices=[game_says(choice) for choice in option.choices],
                default=option.default,
                low=option.low,
                high=option.high,
                help=game_says(option.help),
            )
            for option in spec.options
        ],
        looks=[look_info(game, look) for look in spec.looks],
        teams=[list(teams_of(name, seats)) for seats in spec.seats],
        ladder=[
            messages.Rung(strength=game_says(rung.strength), agent=rung.agent, measured=game.strength_measured(place))
            for place, rung in enumerate(spec.ladder)
        ],
        chance=spec.chance,
        luck=game_says(spec.luck) if spec.luck else "",
        hidden=spec.hidden,
        simultaneous=spec.simultaneous,
        keys=dict(spec.keys),
        swipes=dict(spec.swipes),
        countdown=bool(spec.idle),
        has_rules=bool(game.rules()),
        ready=ready,
    )


def variant_info(game: type[Game], name: str) -> messages.VariantInfo:
    variant = game.spec.variants[name]
    return messages.VariantInfo(
        name=name,
        title=game.say(variant.title),
        help=game.say(variant.help),
        values=game.spec.values(name),
        sets=game.variant_sets(name),
    )


def look_info(game: type[Game], look: Look) -> messages.LookInfo:
    choices = [messages.LookChoice(name=name, title=game.say(title)) for name, title in look.choices.items()]
    return messages.LookInfo(name=look.name, title=game.say(look.title), choices=choices)


@cache
def teams_of(game: str, seats: int) -> tuple[int, ...]:
    return registry.game(game, seats).teams


def agent_info(name: str) -> messages.AgentInfo:
    try:
        found = registry.agent_class(name)
    except SpielwerkError as problem:  # needs a package that is not installed
        return messages.AgentInfo(name=name, help=str(problem), options=[])
    options = [
        messages.AgentOption(
            name=option.name,
            type=getattr(option.type, "__name__", str(option.type)),
            default=None if not isinstance(option.default, str | int | float | bool) else str(option.default),
            help=option.help,
            low=None if option.range is None else option.range.low,
            high=None if option.range is None else option.range.high,
        )
        for option in option_help(found).values()
    ]
    return messages.AgentInfo(name=name, help=(found.__doc__ or "").strip(), options=options)
