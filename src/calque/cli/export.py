from __future__ import annotations

import click

from . import options
from .command import command
from .manner import note
from .places import FOLDER
from .progress import Progress


@command(
    examples={
        "calque export --to sentence-transformers -o box-for-others": "the model in the box, with float32 rows",
        "calque export --model my-model --to quantised -o my-small-model": "an eighth of the size",
        "calque export --model my-model --to onnx -o my-onnx": "needs pip install 'calque-nlp[onnx]'",
        "calque export --model my-model --to word2vec --binary -o rows.bin": "",
        "calque export --model my-model --to word2vec -o - | grep '^▁dog '": "",
    }
)
@options.model
@click.option(
    "--to",
    type=click.Choice(["sentence-transformers", "word2vec", "onnx", "quantised"]),
    required=True,
    help="What to write: a folder for sentence-transformers and model2vec, a file of pieces and their rows, a folder "
    "with an ONNX graph, or a smaller Calque model.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=FOLDER,
    metavar="OUT",
    help="Where to write; for word2vec, - is standard output.",
)
@click.option("--bits", type=click.Choice(["8", "4", "3"]), help="Of a number in a quantised model.  [default: 4]")
@click.option("--binary", is_flag=True, help="word2vec's binary form instead of text.")
def export(model: str | None, to: str, output: str, bits: str | None, binary: bool) -> None:
    """Write a model for other libraries, or a smaller one for this.

    Folders must be new or empty. What is written appears whole or not at all. Averages of SentencePiece pieces, the
    default, can be exported to everything, other averages to word2vec and quantised, BLSTMs to nothing.
    """
    from ..model import load
    from ..tasks.export import export as export_model

    with Progress(beside_data=output == "-") as progress:
        opened = load(model)
        progress.stage("exporting", "rows", total=opened.vocabulary.size if to == "word2vec" else None)
        done = export_model(
            opened,
            to=to,
            out=output,
            bits=int(bits) if bits else None,
            binary=binary,
            report=progress.at,
        )
    if output != "-":
        note(f"{output}: {done.bytes / 1e6:,.1f} MB\n\n{done.opening}")
