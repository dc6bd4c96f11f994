"""Ganz schön clever: the dice game by Wolfgang Warsch (Schmidt Spiele 2018)."""
