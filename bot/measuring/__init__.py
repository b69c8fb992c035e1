"""Peaks that were measured, held against the estimates that they belong to."""
