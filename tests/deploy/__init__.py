"""The examples for Compose and Kubernetes: what they say is what the program reads."""
