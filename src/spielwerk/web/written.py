"""Agents and games as visitors write them: whatever is written, the answer is a sentence."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Header as RecordHeader
from spielwerk.core.match import table_of
from spielwerk.web.language import say

log = logging.getLogger("spielwerk.web")


def agent_for(game: Game, spec: str) -> Agent:
    """The agent that is written so; it can play the game."""
    with understanding(spec):
        agent = registry.agent(spec)
        agent.require(game)
        return agent


def game_of(name: str, seats: int | None, variant: str | None) -> Game:
    with understanding(variant or name):
        return registry.game(name, seats, variant)


def table_for(header: RecordHeader) -> Game:
    """The table at which a record was played."""
    with understanding(header.variant):
        return table_of(header)


@contextmanager
def understanding(text: str, phrase: str = "'{text}' cannot be understood; write name:key=value,…") -> Iterator[None]:
    """What cannot be read is the visitor's mistake, not the server's, whatever a parser or a plug-in raises then."""
    try:
        yield
    except SpielwerkError:
        raise
    except Exception as problem:
        log.warning("%.200r cannot be read: %.200r", text, problem)
        raise SpielwerkError(say(phrase, text=text)) from None
