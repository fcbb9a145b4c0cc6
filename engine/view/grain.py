"""The pictures that wood and card are shaded with: tileable noise, made once with numpy."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bytes = NDArray[np.uint8]

SIDE = 512
# metres that one tile of the fibre picture covers, along and across the grain
FIBRE_TILE = (0.12, 0.04)


def _noise(draw: np.random.Generator, shape: tuple[int, int], blur: tuple[float, float]) -> Array:
    """(h, w) tileable Gaussian noise, mean 0, deviation 1, smoothed by so many pixels along each axis."""
    spectrum = np.fft.fft2(draw.standard_normal(shape))
    for axis, width in enumerate(blur):
        frequency = np.fft.fftfreq(shape[axis])
        fall = np.exp(-2 * (np.pi * frequency * width) ** 2)
        spectrum *= fall[:, None] if axis == 0 else fall[None, :]
    smooth = np.real(np.fft.ifft2(spectrum))
    smooth -= smooth.mean()
    result: Array = smooth / smooth.std()
    return result


def _bytes(*channels: Array) -> Bytes:
    stacked = np.clip(np.stack(channels, axis=-1) * 255 + 0.5, 0, 255)
    return np.ascontiguousarray(stacked.astype(np.uint8))


@cache
def fibres() -> Bytes:
    """(512, 512, 4) of wood, x along the grain: fibre tone, ray flecks, soft figure, speckle of card.

    Flecks are the short dark dashes beech is known by; 0.5 is neutral for tone, figure and speckle.
    """
    draw = np.random.default_rng(7)
    shape = (SIDE, SIDE)
    tone = 0.6 * _noise(draw, shape, (0.7, 22)) + 0.4 * _noise(draw, shape, (2.5, 60))
    dashes = _noise(draw, shape, (1.0, 6.0))
    figure = _noise(draw, shape, (9.0, 70.0))
    speckle = 0.7 * _noise(draw, shape, (0.6, 0.6)) + 0.3 * _noise(draw, shape, (4.0, 4.0))
    flecks = np.clip((dashes - 1.55) * 1.1, 0, 1)
    return _bytes(0.5 + 0.17 * tone, flecks, 0.5 + 0.17 * figure, 0.5 + 0.17 * speckle)


@cache
def rings() -> Bytes:
    """(1, 512, 4) tone across the annual rings of 16 years, 0 early wood to 1 late wood, in every channel.

    A ring begins pale and darkens slowly towards its sharp end; years differ in width and depth.
    """
    draw = np.random.default_rng(11)
    years = draw.uniform(0.6, 1.4, 16)
    edges = np.concatenate([[0.0], np.cumsum(years)]) / years.sum()
    depth = draw.uniform(0.45, 1.0, 16)
    place = (np.arange(SIDE) + 0.5) / SIDE
    year = np.searchsorted(edges, place, side="right") - 1
    within = (place - edges[year]) / np.diff(edges)[year]
    tone = depth[year] * within**3
    spectrum = np.fft.fft(tone) * np.exp(-2 * (np.pi * np.fft.fftfreq(SIDE) * 1.6) ** 2)
    smooth = np.real(np.fft.ifft(spectrum))[None, :]
    return _bytes(smooth, smooth, smooth, smooth)
