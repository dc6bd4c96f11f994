def text(view): return "x"
def svg(view): return "<svg/>"
