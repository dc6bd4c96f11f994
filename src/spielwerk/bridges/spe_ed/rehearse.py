"""Compile everything that an agent needs to play, for images that must not compile when a game begins:

python -m spielwerk.bridges.spe_ed.rehearse territory
"""

import sys

from spielwerk.bridges.spe_ed.client import SpeedJoining
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError

if __name__ == "__main__":
    try:
        SpeedJoining(registry.agent(" ".join(sys.argv[1:]))).warm_up()
    except SpielwerkError as problem:
        sys.exit(f"error: {problem}")
