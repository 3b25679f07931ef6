"""A model in the formats of other libraries, a file for each format."""

from .onnx import write_onnx
from .quantised import write_quantised
from .sentence_transformers import write_sentence_transformers
from .word2vec import write_word2vec

__all__ = ["write_onnx", "write_quantised", "write_sentence_transformers", "write_word2vec"]
