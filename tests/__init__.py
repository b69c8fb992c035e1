"""Tests of the estimator, the bot, and both together."""
