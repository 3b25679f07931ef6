"""A first look: trains on a small parallel text that ships with the package, and shows what the model has learnt."""

from .demo import Demo, Found, Neighbour, run_demo, sentences

__all__ = ["Demo", "Found", "Neighbour", "run_demo", "sentences"]
