"""The protocol of spe_ed (informatiCup 2021): a server for bots written for it, a client for our agents."""

from spielwerk.bridges import Bridge
from spielwerk.bridges.spe_ed.client import SpeedJoining
from spielwerk.bridges.spe_ed.options import SpeedHosting

BRIDGE = Bridge(SpeedHosting, SpeedJoining)
