"""What is kept between messages: in SQLite, or in PostgreSQL by the same code."""
