"""The whole bot for as long as one likes, with people at it and everything going wrong."""
