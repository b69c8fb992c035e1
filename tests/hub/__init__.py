"""The Hub, asked over real sockets: a stand-in on loopback, right, broken and hostile."""
