"""What whoever runs the bot needs: its token, its log, its health, its settings in words."""
