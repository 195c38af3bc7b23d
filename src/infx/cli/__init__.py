"""Parse, print, exit, read the environment: the only place for those four."""
