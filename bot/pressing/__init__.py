"""Presses under answers, answered on Discord: in place where they change one's own, else aside."""
