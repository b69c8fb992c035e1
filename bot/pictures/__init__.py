"""Answers as pictures: what is drawn is a value, and another process draws it."""
