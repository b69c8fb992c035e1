"""The bot: reads a question, asks the estimator, answers."""
