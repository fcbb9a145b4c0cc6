# %% [markdown]
# # How far can a tower lean?
#
# A notebook as a script: editors that know `# %%` cells run it piece by piece, `python tests/notebook.py` runs it
# whole, and so does a test. It asks teeter three old questions and compares the answers with closed forms.

# %%
import math

import numpy as np

import teeter

# %% [markdown]
# ## Four blocks over the edge
#
# Equal blocks, each as far out as the ones above allow, reach half of 1 + 1/2 + 1/3 + 1/4 block lengths beyond the
# edge. We stack them a little inside of that and a little past it.

# %%
LENGTH, HEIGHT, COUNT = 60.0, 15.0, 4


def overhanging(slack_mm: float) -> teeter.Scene:
    """Blocks at their harmonic places, every step shorter by `slack_mm` (longer when negative)."""
    ledge = {"id": "ledge", "shape": {"box": [200, 60, 30]}, "fixed": True, "position": [-100, 0, 15]}
    pieces, tip = [ledge], 0.0
    for number in range(COUNT):
        tip += LENGTH / (2 * (COUNT - number)) - slack_mm
        place = [tip - LENGTH / 2, 0, 30 + HEIGHT * (number + 0.5)]
        pieces.append({"id": f"block.{number}", "shape": {"box": [LENGTH, 40, HEIGHT]}, "position": place})
    return teeter.build(pieces, name="overhang")


reach = LENGTH * sum(1 / (2 * number) for number in range(1, COUNT + 1))
inside, past = teeter.check(overhanging(0.5)), teeter.check(overhanging(-0.5))
print(f"reach {reach:.2f} mm; half a millimetre a block inside: {inside.word}, past: {past.word}")

# %% [markdown]
# ## How far does the table tilt?
#
# A column of n aligned cubes tips when the table is tilted by atan(1/n), unless it slides first, at atan(mu).

# %%
CUBE = {"shape": {"box": [30, 30, 30]}, "material": {"density": 690, "friction": 1.2, "restitution": 0.1}}
tilts = {}
for count in (1, 2, 4, 8):
    cubes = [CUBE | {"id": f"cube.{n}", "position": [0, 0, 15 + 30 * n]} for n in range(count)]
    column = teeter.build(cubes, name=f"column of {count}")
    # the table's own friction would let the cubes slide: give every pair that of the cubes
    statics = teeter.check(column, friction=1.2, workers=1).statics
    tilts[count] = statics.tilt_deg
    print(
        f"{count} cubes: {statics.tilt_deg:.3f} degrees, closed form {math.degrees(math.atan(1 / count)):.3f}"
    )

# %% [markdown]
# ## Where may the last block go?
#
# A map of verdicts and margins: a slab tried on a grid over a brick. It stands while its centre of mass is over the
# brick, 75 by 25 mm; the nearer to the edge, the less the table may tilt.

# %%
ROUGH = {"density": 690, "friction": 1.2, "restitution": 0.1}
bricks = teeter.build(
    [
        {"id": "lower", "shape": {"box": [75, 25, 15]}, "material": ROUGH, "position": [0, 0]},
        {"id": "slab", "shape": {"box": [60, 30, 15]}, "material": ROUGH, "position": [0, 0]},
    ],
    name="two rough bricks",
)
rows = teeter.sweep(bricks, "slab", x=(-45, 45, 7), y=(-15, 15, 5), workers=1)
margin = np.array([row.tilt_deg or 0.0 for row in rows]).reshape(5, 7)
for line in margin[::-1]:
    print("  ".join(f"{value:5.1f}" for value in line))
best = max(rows, key=lambda row: row.tilt_deg or 0.0)
print(f"safest at ({best.x_mm:g}, {best.y_mm:g}): {best.tilt_deg:.1f} degrees")

# %% [markdown]
# ## A picture of the map

# %%
import matplotlib  # noqa: E402 (a notebook imports where it needs)

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
image = axes.imshow(margin, origin="lower", extent=(-52.5, 52.5, -18.75, 18.75), cmap="YlGn")
axes.add_patch(Rectangle((-37.5, -12.5), 75, 25, fill=False, linestyle="--"))
axes.set(xlabel="x of the slab, mm", ylabel="y, mm", title="degrees the table may tilt", ylim=(-18.75, 18.75))
figure.colorbar(image, ax=axes)
plt.close(figure)
