"""Which version of the program this is; a test holds it to `pyproject.toml`."""

VERSION = "0.1.0"
