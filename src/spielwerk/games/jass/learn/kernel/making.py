"""Deals played to be learned from, whole, in compiled code: by players whose rules are compiled, and a teacher."""

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, chance, hide, legal
from spielwerk.core.kernel.loops import rule
from spielwerk.core.kernel.rng import branch, mix
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.table import ANNOUNCE, PLAY
from spielwerk.games.jass.kernel.weis import may_announce
from spielwerk.games.jass.learn.kernel.deals import CHOICES

TEACHER = 0x4A54  # the stream of the teacher


@kernel
def place_of(s):
    """Where the label of a decision stands."""
    return CHOICES + 4 * s.tricks + s.in_trick if s.phase == PLAY else s.pushed


@kernel
def asked(states, n, seat, slot, seating, rng):
    """What the policy number `slot` does with what the seat knows."""
    seating.views[0] = states[n]
    hide(seating.views[0], seat)
    return rule(seating.views[0], seat, slot, seating.weights, seating.scratch, rng)


@kernel
def play_deals(states, seeds, slots, teacher, seating, starters, taught):
    """Play the deals states[n] until the last card. slots[n] are the numbers of the policies of its seats, `teacher`
    that of the teacher, who is asked wherever somebody has a choice if `taught` has places for it. A sign stops it
    before a deal, and a match that ends in the middle of one."""
    joint, actions = seating.scratch.joint, seating.scratch.actions
    for n in range(seeds.shape[0]):
        s = states[n]
        key = mix(seeds[n])
        branch(key, 0, seating.rng)
        chance_key = seating.rng[0]
        branch(key, TEACHER, seating.rng)
        teacher_key = seating.rng[0]
        for seat in range(4):
            branch(key, 1 + seat, seating.rngs[seat])
        events = 0
        if stopped(seating.scratch.sign):
            return
        while s.tricks < 9:
            who = actors(s)
            if who < 0:
                return
            if who == 0:
                branch(chance_key, events, seating.rng)
                events += 1
                chance(s, seating.rng)
                starters[n] = s.starter
                continue
            seat = s.turn
            count = legal(s, seat, actions)
            action = actions[0]
            if may_announce(s, seat):
                action = ANNOUNCE
            elif count > 1:
                action = asked(states, n, seat, slots[n, seat], seating, seating.rngs[seat])
                if taught.shape[1] > 0:
                    place, label = place_of(s), action
                    if slots[n, seat] != teacher:
                        branch(teacher_key, place, seating.rng)
                        label = asked(states, n, seat, teacher, seating, seating.rng)
                    taught[n, place] = label
            joint[seat] = action
            apply(s, joint)
