"""Where a presentation is shown; each surface's own limits live in its file."""
