"""Figures as reports write them: three digits (docs/metrics.md)."""


def number(value):
    size = abs(value)
    if size == 0:
        return "0"
    return f"{value:.{0 if size >= 100 else 1 if size >= 10 else 2}f}" if size >= 1 else f"{value:.3g}"


def quantity(value, unit):
    """Times in the unit that leaves something before the point."""
    if unit != "s":
        return f"{number(value)} {unit}"
    for below, factor, name in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1, 1e3, "ms"), (600, 1, "s")):
        if abs(value) < below:
            return f"{number(value * factor)} {name}"
    return f"{number(value / 60)} min"


def rate(value, unit):
    """With a decimal prefix, as peaks are quoted."""
    for below, factor, prefix in ((1e3, 1, ""), (1e6, 1e3, "k"), (1e9, 1e6, "M"), (1e12, 1e9, "G"), (1e15, 1e12, "T")):
        if abs(value) < below:
            return f"{number(value / factor)} {prefix}{unit}"
    return f"{number(value / 1e15)} P{unit}"
