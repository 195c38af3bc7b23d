"""Public names of commands: `python -m infx.workflows.NAME`; nothing else lives here."""
