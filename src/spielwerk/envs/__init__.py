"""Environments: any game as the libraries of reinforcement learning want it.

`batch` advances many matches in one compiled call and knows none of these libraries; the others are costumes over it,
each in a module that imports its own library: `single` and `vector` (Gymnasium), `sb3` (Stable-Baselines3),
`pettingzoo`. `spielwerk.bridges` registers them by name.
"""
