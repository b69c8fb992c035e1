"""Addresses in the settings: a scheme, a host, perhaps a port and a path, and nothing else.

What is refused is never repeated: a name and a password may stand in it.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address

HIGHEST_PORT = 65_535
LONGEST = 255  # characters of a host's name
NAME = r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*"
PATH = re.compile(r"(?:/[A-Za-z0-9._~-]*)+")
ADDRESS = re.compile(
    rf"(?P<scheme>[a-z]+)://(?:(?P<name>{NAME})|\[(?P<six>[0-9A-Fa-f:.]+)\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[A-Za-z0-9._~-]*)*)"
)


def check_address(*schemes: str) -> Callable[[str], str]:
    """A check that a text is an address with one of `schemes`; raises ValueError with words."""
    begins = " or ".join(f"{scheme}://" for scheme in schemes)

    def check(text: str) -> str:
        if not text.startswith(tuple(f"{scheme}://" for scheme in schemes)):
            raise ValueError(f"begins with {begins}")
        if "@" in text:
            raise ValueError("holds no name and no password, so no `@`")
        found = ADDRESS.fullmatch(text)
        if found is None or not _is_host(found["name"] or found["six"]):
            raise ValueError(
                f"is {begins}, a host, perhaps a port and a path, and nothing after them"
            )
        if found["port"] and not 1 <= int(found["port"]) <= HIGHEST_PORT:
            raise ValueError(f"has a port from 1 to {HIGHEST_PORT}")
        return text

    return check


def check_host(text: str) -> str:
    """A check that a text is a host to listen on; raises ValueError with words."""
    if not _is_host(text):
        raise ValueError("is an address or a name of this machine, such as 127.0.0.1")
    return text


def check_path(text: str) -> str:
    """A check that a text is the path of an address; raises ValueError with words."""
    if len(text) > LONGEST or not PATH.fullmatch(text):
        raise ValueError("begins with /, has letters, digits and any of . _ ~ - / after it")
    return text


def _is_host(text: str) -> bool:
    """Whether `text` is an address of version 4 or 6, or can be a name."""
    if len(text) > LONGEST:
        return False
    if ":" not in text and not re.fullmatch(r"[0-9.]+", text):
        return re.fullmatch(NAME, text) is not None
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
