"""Without its package, an integration names the extra that brings it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "package", "purpose", "extra"),
    [
        ("langchain", "langchain_core", "the embedding class for LangChain", "langchain"),
        ("llama_index", "llama_index", "the embedding model for LlamaIndex", "llama-index"),
        ("mteb", "mteb", "evaluating with MTEB", "mteb"),
        ("sklearn", "sklearn", "the vectorizer for scikit-learn", "sklearn"),
        ("spacy", "spacy", "the component for spaCy", "spacy"),
    ],
)
def test_without_its_package_the_extra_is_named(module: str, package: str, purpose: str, extra: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
try:
    import calque.integrations.{module}
except Exception as problem:
    print(type(problem).__name__, problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        f"UsageError {purpose} needs the package {package}, which is not installed\n\n"
        f"hint: pip install 'calque-nlp[{extra}]'\n"
    )
