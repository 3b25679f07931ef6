"""A trained encoder and the folder it lives in."""

from .folder import as_model, load, save
from .model import Model

__all__ = ["Model", "as_model", "load", "save"]
