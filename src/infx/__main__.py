"""`python -m infx`: the command `infx`, where its script is not on the path."""

from infx.cli.main import run

if __name__ == "__main__":
    run()
