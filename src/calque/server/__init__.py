"""The model over HTTP: OpenAI's embeddings, similarity, search, explanations, mining, and a page to try them on."""

from .settings import ServerSettings

__all__ = ["ServerSettings", "create_app", "serve"]


def __getattr__(name: str) -> object:
    # What needs the packages of the extra waits until it is asked for.
    if name == "create_app":
        from .app import create_app

        return create_app
    if name == "serve":
        from .run import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
