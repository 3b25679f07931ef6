"""Bitext from OPUS and evaluation sets from their official places: fetched, resumed, checked and unpacked."""
