"""The rules of thumb of `centre`, as a policy."""

from spielwerk import below, kernel, uniform

from parlour.connect4.kernel import COLUMNS, four_in_a_line, has_room, legal, lowest_free

MISTAKES, CAREFUL = 0, 1  # places in the weights
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)
NONE = -1


@kernel
def centre_policy(s, seat, weights, scratch, rng):
    if uniform(rng) < weights[MISTAKES]:
        return scratch.actions[below(rng, legal(s, seat, scratch.actions))]
    mine, theirs = s.discs[seat], s.discs[1 - seat]
    column = winning_column(mine, theirs)
    if column == NONE:
        column = winning_column(theirs, mine)
    if column == NONE and weights[CAREFUL] > 0:
        column = central_column(mine, theirs, True)
    if column == NONE:
        column = central_column(mine, theirs, False)
    return column


@kernel
def winning_column(mine, theirs):
    """A column that completes four of `mine`; NONE if there is none."""
    occupied = mine | theirs
    for column in range(COLUMNS):
        if has_room(occupied, column) and four_in_a_line(mine | lowest_free(occupied, column)):
            return column
    return NONE


@kernel
def central_column(mine, theirs, careful):
    """The legal column nearest to the centre; if `careful`, only one above which the other does not win."""
    occupied = mine | theirs
    for place in range(COLUMNS):
        column = CENTRE_FIRST[place]
        if has_room(occupied, column) and not (careful and opens_a_win(mine, theirs, column)):
            return column
    return NONE


@kernel
def opens_a_win(mine, theirs, column):
    """Whether the other wins on top of a disc in `column`."""
    occupied = mine | theirs
    disc = lowest_free(occupied, column)
    occupied |= disc
    return has_room(occupied, column) and four_in_a_line(theirs | lowest_free(occupied, column))


@kernel
def centre_policy_at(states, seat, weights, scratch, rng):
    """The policy for a call from Python, which hands over arrays."""
    return centre_policy(states[0], seat, weights, scratch, rng)
