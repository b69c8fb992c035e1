"""A real PostgreSQL server, started for these tests: `pytest -m postgres`."""
