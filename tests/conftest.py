"""What holds for all tests, and real segments with several references, read once for the whole run."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

# No deadline: a test must not fail because the machine is busy. Unattended runs all try the same examples.
settings.register_profile("corpusdb", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("corpusdb")

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
Sample: TypeAlias = tuple[list[str], list[list[str]]]
"""Hypotheses, and the references of each."""


def lines(path: Path) -> list[str]:
    if not path.exists():
        pytest.skip(f"no {path.name} beside the checkout")
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").removesuffix("\n").split("\n")


@pytest.fixture(scope="session")
def news() -> dict[str, Sample]:
    """The ten systems of WMT21 Russian-English, 1,000 segments with two references each."""
    folder = DATA / "wmt21-ruen"
    references = [list(pair) for pair in zip(*(lines(folder / f"ref.{name}.en") for name in "AB"), strict=True)]
    return {path.stem: (lines(path), references) for path in sorted((folder / "systems").glob("*.en"))}


@pytest.fixture(scope="session")
def captions() -> Sample:
    """2,014 descriptions of images with 1 to 13 references: those of the image itself, then of its neighbours."""
    folder = DATA / "multi30k" / "task2"
    images = [
        list(image)
        for part in ("test_2016", "val")
        for image in zip(*(lines(folder / f"{part}.{number}.en.gz") for number in range(1, 6)), strict=True)
    ]
    rng = random.Random(1)
    for image in images:
        rng.shuffle(image)  # they are sorted by length
    references = [
        [text for other in range(4) for text in images[number - other][1:]][: 1 + number % 13]
        for number, image in enumerate(images)
    ]
    return [image[0] for image in images], references
