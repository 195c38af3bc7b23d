"""`python -m infx.matrix.changed`: a public name of `infx matrix changed`, and nothing more."""

from infx.cli.main import run

if __name__ == "__main__":
    run("matrix", "changed")
