"""Benchmarks: run by a command of their own, they print and never fail for slowness."""
