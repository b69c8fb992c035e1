"""What can be pressed under an answer, and what a press means; no Discord."""
