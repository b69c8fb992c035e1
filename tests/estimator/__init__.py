"""The estimator, one test file a module; needs nothing of the bot."""
