"""A first look without any data: what the model in the box knows, and a small model trained in the user's sight."""

from .demo import Demo, run_demo
from .look import Look, Opened, look_into_box, sentences

__all__ = ["Demo", "Look", "Opened", "look_into_box", "run_demo", "sentences"]
