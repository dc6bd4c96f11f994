"""The protocol of the Zühlke Jass challenge (2017): a server for bots written for it, a client for our agents."""

from spielwerk.bridges import Bridge
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.server import JassHosting

BRIDGE = Bridge(JassHosting, JassJoining)
