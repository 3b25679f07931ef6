"""Where the command starts: what may happen while the command line is imported ends as it does later on."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from .cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    except MemoryError:
        sys.stderr.write("error: not enough memory\n\nhint: close other programs\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
