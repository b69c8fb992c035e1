"""Texts and bytes of strangers, made at random for as long as one likes."""
