"""The Python side of Kernloop. Importing it does nothing."""

__version__ = "0.1.0"
