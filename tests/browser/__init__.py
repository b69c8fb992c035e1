"""The page that `python -m bot try` shows, in a real browser: `pytest -m browser`."""
