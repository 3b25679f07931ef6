"""Which threshold to take: what a score promises, estimated from the scores themselves."""

from .calibration import Calibration, Choice, calibrate
from .trust import ALIKE, Range, Trust

__all__ = ["ALIKE", "Calibration", "Choice", "Range", "Trust", "calibrate"]
