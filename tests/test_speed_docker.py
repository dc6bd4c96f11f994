"""The container of the competition: what it copies is there, and what it runs needs its environment variables only."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from speed_clients import hosting, plain, run

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PASSED_ON = ("HOME", "LANG", "PYTHONPATH", "SPIELWERK_CACHE", "XDG_CACHE_HOME")  # of the machine, not of the contract


def test_what_the_image_copies_is_there_and_not_ignored():
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()]
    assert "src" in copied and all((ROOT / word).exists() for word in copied)
    assert {f"!{word}" for word in copied} <= set((ROOT / ".dockerignore").read_text().split())


def start(command, **variables):
    known = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    pipe = asyncio.subprocess.PIPE
    return asyncio.create_subprocess_exec(
        *command, env=known | variables | {"PATH": path}, stdout=pipe, stderr=pipe, cwd=ROOT
    )


def test_the_images_command_plays_one_game_and_ends():
    (line,) = re.findall(r"^ENTRYPOINT (.*)$", DOCKERFILE, re.MULTILINE)

    async def game():
        async with hosting() as server, plain(server, "other") as other:
            variables = {"URL": f"{server.url}/spe_ed", "KEY": "me", "TIME_URL": f"{server.page}/spe_ed_time"}
            playing = await start(json.loads(line), AGENT="safe", **variables)
            told = asyncio.create_task(playing.communicate())
            await other.state()
            await other.say("nonsense")
            out, _ = await told
            return playing.returncode, json.loads(out)

    code, found = run(game())
    assert code == 0 and found["result"] == "won" and found["rounds"] == 1


@pytest.mark.parametrize(("agent", "code", "text"), [("safe", 0, b""), ("nobody", 1, b"error: unknown agent 'nobody'")])
def test_the_images_rehearsal(agent, code, text):
    (module,) = re.findall(r"^RUN python -m (\S+) ", DOCKERFILE, re.MULTILINE)

    async def rehearse():
        rehearsing = await start([sys.executable, "-m", module, agent])
        return (await rehearsing.communicate())[1], rehearsing.returncode

    told, ended = run(rehearse())
    assert ended == code and told.startswith(text)
