"""Recipes: merge the variants of a file, bind one at a point, say where each leaf came from."""
