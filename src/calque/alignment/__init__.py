"""Which sentences of two documents translate each other, one to one or several to several."""

from .align import MAX_SIZE, SKIP, Alignment, align_documents
from .document import Document

__all__ = ["MAX_SIZE", "SKIP", "Alignment", "Document", "align_documents"]
