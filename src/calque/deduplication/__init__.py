"""Lines that say the same: with the same letters and digits, or near to each other as vectors."""

from .find import Keep, find_duplicates
from .groups import Duplicates, Group, Line
from .store import Store

__all__ = ["Duplicates", "Group", "Keep", "Line", "Store", "find_duplicates"]
