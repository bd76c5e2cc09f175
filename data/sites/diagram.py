"""A reliability diagram as SVG: how often something is right that was given a probability."""

import numpy as np

SIDE, LEFT, TOP, BINS = 320, 56, 16, 10
COLOURS = ["#1f77b4", "#d62728"]


def wilson(share, number, z=1.96):
    """The ends of the 95% interval of a share of `number` cases."""
    middle, spread = share + z * z / (2 * number), z * np.sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    return (middle - spread) / (1 + z * z / number), (middle + spread) / (1 + z * z / number)


def binned(probability, right):
    """Of each tenth of the range of probabilities that has some: the mean probability, the share that is right, and the number."""
    at = np.minimum((probability * BINS).astype(int), BINS - 1)
    return [(probability[at == k].mean(), right[at == k].mean(), int((at == k).sum())) for k in range(BINS) if (at == k).any()]


def reliability(curves):
    """An SVG with one line for each (name, probabilities, whether right)."""
    x, y = (lambda value: LEFT + SIDE * value), (lambda value: TOP + SIDE * (1 - value))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + SIDE + 190}" height="{TOP + SIDE + 52}" font-family="sans-serif" font-size="12">',
        f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#444"/>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" stroke="#999" stroke-dasharray="4 4"/>',
    ]
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        lines.append(f'<text x="{x(tick):.1f}" y="{y(0) + 16}" text-anchor="middle">{tick:g}</text>')
        lines.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    lines.append(f'<text x="{x(0.5)}" y="{y(0) + 36}" text-anchor="middle">predicted probability</text>')
    lines.append(f'<text transform="translate(14 {y(0.5)}) rotate(-90)" text-anchor="middle">observed share</text>')
    for k, (name, probability, right) in enumerate(curves):
        colour, places = COLOURS[k], binned(probability, right)
        path = " ".join(f"{x(mean):.1f},{y(share):.1f}" for mean, share, _ in places)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        for mean, share, number in places:
            low, high = wilson(share, number)
            lines.append(f'<line x1="{x(mean):.1f}" y1="{y(low):.1f}" x2="{x(mean):.1f}" y2="{y(high):.1f}" stroke="{colour}"/>')
            lines.append(f'<circle cx="{x(mean):.1f}" cy="{y(share):.1f}" r="3" fill="{colour}"><title>{number} {name}</title></circle>')
        lines.append(f'<text x="{LEFT + SIDE + 12}" y="{TOP + 16 + 18 * k}" fill="{colour}">{len(right)} {name}</text>')
    return "\n".join([*lines, "</svg>", ""])
