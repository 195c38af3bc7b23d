"""The static page of a run."""
