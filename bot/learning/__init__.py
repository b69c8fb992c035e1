"""A walk of seven steps from the rule of thumb to a real run; no Discord."""
