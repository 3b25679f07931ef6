"""Lines that say the same: with the same letters and digits, or near to each other as vectors."""

from .contrast import Contrast
from .find import Keep, find_duplicates
from .groups import Duplicates, Group, Line, Spared
from .store import Store

__all__ = ["Contrast", "Duplicates", "Group", "Keep", "Line", "Spared", "Store", "find_duplicates"]
