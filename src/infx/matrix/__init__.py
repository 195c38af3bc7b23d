"""What to run: the catalog checked, expanded into rows and points, compared over time."""
