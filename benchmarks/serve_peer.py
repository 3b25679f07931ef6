"""The same model behind sentence-transformers and FastAPI, as one would write it, and as one would tune it.

The model's folder is in PEER_MODEL. `plain` returns what FastAPI turns into JSON by itself; `tuned` decodes the request
with orjson, lets it write the numbers straight from memory, and spares FastAPI's own conversions.
"""

from __future__ import annotations

import base64
import os
from typing import Any

import orjson
import torch
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

torch.set_num_threads(int(os.environ.get("PEER_THREADS", "1")))
model = SentenceTransformer(os.environ["PEER_MODEL"], device="cpu")


class Asked(BaseModel):
    input: str | list[str]
    model: str = ""
    encoding_format: str = "float"


def vectors(texts: str | list[str]) -> Any:
    return model.encode(
        [texts] if isinstance(texts, str) else texts, normalize_embeddings=True, show_progress_bar=False
    )


def answer(rows: Any, written: Any) -> dict[str, Any]:
    data = [{"object": "embedding", "index": at, "embedding": written(row)} for at, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": "model", "usage": {"prompt_tokens": 0, "total_tokens": 0}}


def as_base64(row: Any) -> str:
    return base64.b64encode(row.tobytes()).decode()


plain = FastAPI()
tuned = FastAPI()


@plain.post("/v1/embeddings")
def embeddings(asked: Asked) -> dict[str, Any]:
    rows = vectors(asked.input)
    return answer(rows, as_base64) if asked.encoding_format == "base64" else answer(rows.tolist(), list)


@tuned.post("/v1/embeddings")
async def embeddings_tuned(request: Request) -> Response:
    asked = orjson.loads(await request.body())
    rows = vectors(asked["input"])
    written = as_base64 if asked.get("encoding_format") == "base64" else lambda row: row
    body = orjson.dumps(answer(rows, written), option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, media_type="application/json")


@plain.get("/health")
@tuned.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}
