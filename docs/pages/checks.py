"""The page of checks, from the docstrings of their modules."""

from infx.flows.explain import pages
from infx.policy.manual import Page
from pages.text import page, table


def checks() -> str:
    """Return the page: an overview, and a section a check."""
    found = pages()
    return page(
        "Checks",
        "What a submission is judged by. `infx verify` asks the checks of a policy set, in this "
        "order; `infx explain ID` prints a section of this page. What breaks a check is rejected "
        "where the policy set says FAIL of it, and warned of where it says WARN. A fact that a "
        "check needs and the evidence does not have breaks it too.",
        table(("number", "check", "in one sentence", "judged by"), map(_row, found)),
        *map(_section, found),
    )


def _row(one: Page) -> tuple[str, str, str, str]:
    number = "-" if one.number is None else str(one.number)
    return number, f"[`{one.check}`](#{one.check})", one.rule, _sets(one)


def _sets(one: Page) -> str:
    return ", ".join(f"{name} ({status})" for name, status in one.sets.items())


def _section(one: Page) -> str:
    blocks = [f"## {one.check}", one.rule]
    if one.inferred:
        blocks.append("No public page states this rule: it is inferred from published verdicts.")
    blocks += [f"**{head}.** {text}" for head, text in one.sections.items()]
    return "\n\n".join(blocks)
