"""Answer → words and numbers of one language; nothing here knows where they are shown."""
