"""How good a model is, on sets made by people."""
