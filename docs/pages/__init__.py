"""The generated reference pages, one module a subject; `generate.py` writes them."""
