"""A trained encoder and the folder it lives in."""

from .folder import load, save
from .model import Model

__all__ = ["Model", "load", "save"]
