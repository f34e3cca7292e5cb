"""What a program computed, as one line for the bench to compare."""

import hashlib
import os


def write(*tensors):
    import torch

    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().contiguous().view(torch.uint8).cpu().numpy().tobytes())
    path = os.environ.get("KERNLOOP_BENCH_DIGEST")
    if path:
        with open(path, "w") as file:
            file.write(digest.hexdigest() + "\n")
