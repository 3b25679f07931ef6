"""Arrow: record batches in a file (Feather 2 is the same) or in a stream, as Hugging Face keeps its datasets."""

from __future__ import annotations

import io

from ...extras import require
from ..files import seekable
from ..pair import Reading, Wanted
from .columnar import pairs_of, saying, text_columns

_FILE = b"ARROW1"


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    ipc = require("pyarrow.ipc", "data", "reading Arrow")
    source = seekable(file, name)
    in_file = source.peek(len(_FILE)).startswith(_FILE)
    open_source = ipc.open_file if in_file else ipc.open_stream
    with saying(name):
        schema = open_source(source).schema
        columns = text_columns(schema, wanted, name)
        needed = {columns.inside} if columns.inside else {columns.first, columns.second}
        included = [at for at, field in enumerate(schema) if field.name in needed]
        source.seek(0)
        options = ipc.IpcReadOptions(included_fields=included, use_threads=False)
        opened = open_source(source, options=options)
    batches = map(opened.get_batch, range(opened.num_record_batches)) if in_file else opened
    return Reading(columns.languages, pairs_of(batches, columns, name))
