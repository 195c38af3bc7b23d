"""Servers that infx ships; each is a program of its own: `python -m infx.servers.NAME`."""

SERVERS = {
    "llamacpp": "infx.servers.llamacpp",
    "truth": "infx.servers.truth",
}
"""Name of a server to the module that `python -m` runs."""
