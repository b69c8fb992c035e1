"""The families of config.json: each module turns one kind's numbers into a shape."""
