"""The `prism` command, as ``prism`` or ``python -m prism_features``."""

import os
import sys
from typing import NoReturn

from ._prism import run_command


def main() -> NoReturn:
    """Runs the command with this process's arguments, and ends the process with its status."""
    # As the program does: more queues of the driver take longer to make.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "2")
    status = run_command(["prism", *sys.argv[1:]])
    # At once, without the driver's cleanup; the command has flushed what it wrote.
    os._exit(status)


if __name__ == "__main__":
    main()
