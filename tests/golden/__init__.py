"""Whole answers as text, one file a case, to be read in a diff.

`python -m tests.golden` writes them anew; then look at what moved, and why.
"""
