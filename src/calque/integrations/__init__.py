"""Calque inside other tools; each module here is imported by its tool, and imports it."""
