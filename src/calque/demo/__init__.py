"""A first look without any data: what the model in the box knows, and a small model trained in the user's sight."""

from .demo import Demo, can_show_in, run_demo
from .look import Look, Opened, look_into_box, sentences
from .sample import Written, write_sample

__all__ = [
    "Demo",
    "Look",
    "Opened",
    "Written",
    "can_show_in",
    "look_into_box",
    "run_demo",
    "sentences",
    "write_sample",
]
