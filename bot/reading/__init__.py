"""Text → Request: what people type, in any order, with or without separators."""
