"""Parlour games for Spielwerk: Connect Four and Leduc hold'em, and a rule player for Connect Four."""
