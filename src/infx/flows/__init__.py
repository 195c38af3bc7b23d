"""The stories; rooms meet only here."""
