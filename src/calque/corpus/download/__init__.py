"""Bitext and evaluation sets from their official places, or from mirrors of these.

Nothing is imported here: reading a zip needs `traps` alone, and not all that talks to servers.
"""
