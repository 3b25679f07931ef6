"""Evaluation sets as they are published, or as plain TSVs, found below the folder that the user points at."""
