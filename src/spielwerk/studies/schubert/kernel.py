"""What the study counts inside compiled code."""

from spielwerk.core.kernel.contract import actors, apply, chance
from spielwerk.core.kernel.rng import branch, mix
from spielwerk.core.linker import kernel
from spielwerk.games.clever.kernel.terms import PASS, PICK


@kernel
def count_forced(start, states, seeds, log, lengths, joint, rng, out):
    """How often nothing fitted in matches of one seat, which are played again from their seeds and their actions, one
    match after the other in `log`."""
    s = states[0]
    done = 0
    for number in range(seeds.shape[0]):
        states[0] = start[0]
        branch(mix(seeds[number]), 0, rng)
        chance_key = rng[0]
        events = 0
        last = done + lengths[number]
        while actors(s) >= 0:
            if actors(s) == 0:
                branch(chance_key, events, rng)
                events += 1
                chance(s, rng)
                continue
            if done == last:
                break
            if s.phase == PICK and log[done] == PASS:
                out[number] += 1
            joint[0] = log[done]
            apply(s, joint)
            done += 1
        done = last
