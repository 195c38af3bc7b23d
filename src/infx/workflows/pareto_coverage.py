"""`python -m infx.workflows.pareto_coverage`: a public name of a count, and nothing more."""

from infx.cli.coverage import run

if __name__ == "__main__":
    run()
