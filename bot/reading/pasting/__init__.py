"""What people paste of the programs they run: files, commands and code → the words of a line."""
