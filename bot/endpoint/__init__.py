"""Discord calls over HTTP, where it is told an Interactions Endpoint URL."""
