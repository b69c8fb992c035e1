"""Questions that ask why, or what something is: which topic they mean, and its answer."""
