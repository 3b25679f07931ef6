"""What a client is told when its request cannot be answered, in the shape that OpenAI's clients understand."""

from __future__ import annotations

import msgspec

from ..errors import CalqueError


class ApiError(Exception):
    """`param` names the field that is at fault, `code` is for programs."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str = "invalid_request",
        param: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.headers = headers


class ErrorDetail(msgspec.Struct, frozen=True):
    message: str
    type: str
    param: str | None
    code: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    error: ErrorDetail


def error_body(error: ApiError) -> bytes:
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    return msgspec.json.encode(ErrorAnswer(ErrorDetail(error.message, kind, error.param, error.code)))


def bad_request(problem: CalqueError) -> ApiError:
    """What the function behind a request has to say of it."""
    return ApiError(400, f"{problem.message}; {problem.hint}" if problem.hint else problem.message)


def too_many(param: str, said: str) -> ApiError:
    return ApiError(400, f"{param}: {said}", "too_many_texts", param)


def too_long(param: str, said: str, at: int | None = None) -> ApiError:
    """`at` is the place of the text, where the field is a list of them."""
    return ApiError(400, f"{param}{'' if at is None else f'[{at}]'}: {said}", "text_too_long", param)
