"""Why two texts are similar: what each pair of their pieces adds to the score."""

from .contributions import Explanation, Part, split_similarity

__all__ = ["Explanation", "Part", "split_similarity"]
