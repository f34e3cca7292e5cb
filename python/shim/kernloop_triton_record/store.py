"""The folder that every process and thread of the app writes into: whole files only, each under a name of its own."""

import hashlib
import itertools
import json
import os


class Store:
    def __init__(self, folder):
        self._folder = folder
        # next() on it is one step of the interpreter: no two threads get the same number, nor a child the files of its parent.
        self._numbers = itertools.count(1)

    def put(self, kind, record):
        name = f"{kind}-{os.getpid()}-{next(self._numbers)}.json"
        self._write(os.path.join(self._folder, name), json.dumps(record, allow_nan=False).encode())

    def put_text(self, text):
        """Keeps a text once, however many name it; returns its name."""
        content = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(content).hexdigest()
        path = os.path.join(self._folder, f"source-{digest}.txt")
        if not os.path.exists(path):
            self._write(path, content)
        return digest

    def _write(self, path, content):
        partial = f"{path}.{os.getpid()}-{next(self._numbers)}.partial"
        with open(partial, "wb") as file:
            file.write(content)
        os.replace(partial, path)
