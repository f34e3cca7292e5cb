"""stages.py and results.py of a checkout: git ignores them, because the stages decide them. Packages have both."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ..errors import KernloopError

# In a checkout, this file is python/src/kernloop/client/checkout.py.
_GENERATOR = Path(__file__).resolve().parents[4] / "bin" / "generated.js"


def ensure_generated() -> None:
    """Writes both again if a stage has changed. Without Node, what is there is used: no command line can start either."""
    if not _GENERATOR.exists():
        return
    try:
        subprocess.run(["node", str(_GENERATOR)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    except OSError:
        return
    except subprocess.CalledProcessError as error:
        raise KernloopError(
            "ENVIRONMENT_CLI_MISSING",
            f"the client of this checkout could not be generated: {error.stderr.strip()}",
            f"run `npm run quickstart` in {_GENERATOR.parents[1]}",
            5,
        ) from error
