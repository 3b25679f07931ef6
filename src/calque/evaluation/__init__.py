"""Scores on the usual sets, each with a signature that names its recipe."""
