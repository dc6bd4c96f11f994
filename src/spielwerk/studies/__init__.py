"""Studies: the tables and figures of a paper, repeated, with the published numbers beside ours. One file per paper.

A study is a function `(report, out, scale) -> dict`: `report(share, line)` tells how far it is, pictures go into the
folder `out`, scale is "quick" (minutes, to see that the shape is right) or "full" (what the paper did). The dict is
what the command line prints: a list of dicts is a table, anything else a line. Register it in the entry point group
`spielwerk.studies`.
"""
