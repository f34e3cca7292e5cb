"""Triton's tutorials' kernels written anew, and what they leave out: each module checks its own against NumPy."""
