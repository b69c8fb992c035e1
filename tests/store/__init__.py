"""What is kept, on SQLite; each test that says no more of it runs on PostgreSQL, too."""
