"""What pictures in SVG have in common: colours for a dark page, another arrangement for a narrow one, dice.

A picture is drawn once, in light colours and for a wide page: so it stays in notebooks, films and documents. What the
web page does with it is declared in the picture itself:

    dark_style    a table of colours that become others on a dark page
    narrow        attributes that an element gets where there is little room, on a phone
"""

from collections.abc import Mapping

EYES = {  # of a die: columns and rows from 0 to 2, by its number
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)),
}


def dark_style(name: str, colours: Mapping[str, str]) -> str:
    """A style for a picture whose root has the class `name`: on a dark page each fill or stroke of the table becomes
    the colour beside it. A picture without such a style lies on a light ground."""
    rules = (
        f'[data-theme="dark"] .{name} [{what}="{light}"]{{{what}:{dark}}}'
        for light, dark in colours.items()
        for what in ("fill", "stroke")
    )
    return f"<style>{''.join(rules)}</style>"


def narrow(**attributes: object) -> str:
    """An attribute that says which attributes an element has instead on a narrow page; the root may have another
    `viewBox`. Underscores stand for hyphens."""
    written = "; ".join(f"{name.replace('_', '-')}={value}" for name, value in attributes.items())
    return f'data-narrow="{written}"'
