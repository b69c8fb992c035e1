"""What takes memory: one file a term. Each is given values and looks nothing up."""
