"""Coefficients of the confidence, shipped as data with where they come from."""

from __future__ import annotations

import json
from importlib import resources

from pydantic import ValidationError

from assistant.errors import SettingsError
from assistant.trace import Record

FOLDER = resources.files("assistant.confidence") / "fitted"


class Coefficients(Record):
    """Weights of one method. `usual`: the average value of each signal, used where a signal could not be measured.

    `fitted_on` says on what and how many questions, `quality` what was measured on questions left out of the fit.
    """

    name: str
    link: str
    intercept: float
    weights: dict[str, float]
    usual: dict[str, float]
    embedder: str = ""
    fitted_on: str = ""
    quality: str = ""

    def caution(self, embedder: str) -> str:
        """One sentence when they were fitted with another model than this embedder's, "" otherwise or when unknown.

        The engine that runs the model makes no difference here: its cosines stay within .005.
        """
        fitted, used = self.embedder.partition(" (")[0], embedder.partition(" (")[0]
        if not fitted or not used or fitted == used:
            return ""
        return (
            f"The coefficients were fitted with {fitted}; with {used} the order of confidences holds, but the number "
            "is less exact: check it on questions of your own."
        )


def load(name: str) -> Coefficients:
    """The shipped coefficients of this name. Raises SettingsError listing the known names."""
    file = FOLDER / f"{name}.json"
    if not file.is_file():
        raise SettingsError(f"There are no coefficients named {name!r}; choose one of: {', '.join(names())}.")
    try:
        return Coefficients.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, ValidationError) as err:
        raise SettingsError(f"The coefficients {name!r} cannot be read ({err}); install Glassbox again.") from err


def names() -> tuple[str, ...]:
    """All shipped names, sorted."""
    return tuple(sorted(f.name.removesuffix(".json") for f in FOLDER.iterdir() if f.name.endswith(".json")))
