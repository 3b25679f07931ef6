"""Which threshold to take: what a score promises, estimated from the scores themselves."""

from .calibration import Calibration, Choice, calibrate

__all__ = ["Calibration", "Choice", "calibrate"]
