"""Deals of Jass, as `spielwerk data` and learners find them."""

from spielwerk.games.jass.learn.deal_decisions import decisions
from spielwerk.games.jass.learn.deals import is_folder
from spielwerk.games.jass.learn.describe_deals import described
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.games.jass.learn.read_deals import read
from spielwerk.learn.data import GameData

DATA = GameData(is_folder, make, read, described, decisions)
