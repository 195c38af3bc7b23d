"""Which golden curve a way to speculate is held to.

A curve belongs to a model and to the head that drafts for it. Engines name one head differently:
SGLang calls a native MTP head EAGLE or NEXTN.
"""

import re

from infx.errors import InputError, Problem
from infx.recipes.acceptance.role import Speculation

SAFE = re.compile(r"[a-z0-9_.-]+")
"""What a curve's name is made of; it is also the name of its file."""

EAGLE3_MODELS = ("kimik2.5", "minimaxm3")
"""Models whose EAGLE head is a separate draft, not their own MTP layers."""
DSV4_DSPARK = ("dsv4", "dsv4dspark", "dsv4dsparkprob")
KIMIK3_SAMPLED = "_probabilistic_sample_method_block_rejection_sample_method"


def curve_name(prefix: str, speculation: Speculation) -> str:
    """Return the name of the curve for a model prefix and a way to speculate.

    Raises InputError when the name is not safe, or when a model with curves for several ways of
    draft sampling does not say which one it uses.
    """
    name = _name(prefix, speculation)
    if not SAFE.fullmatch(name):
        raise InputError(
            Problem(
                f"{name!r} is no name of a golden curve",
                speculation.where,
                "a model prefix and a method have only a-z, 0-9, dot, dash and underscore",
            )
        )
    return name


def _name(prefix: str, speculation: Speculation) -> str:
    method = speculation.method
    if method in ("eagle", "nextn"):
        method = "eagle3" if prefix in EAGLE3_MODELS else "mtp"
    if prefix in DSV4_DSPARK and method == "dspark":
        return "dsv4-pro-0813-dspark"
    name = f"{prefix}_{method}"
    if name == "minimaxm3_eagle3" and "gqa" in speculation.draft_model.lower():
        return f"{name}_gqa"
    if name == "kimik3_dspark":
        return name + _sampled(speculation)
    return name


def _sampled(speculation: Speculation) -> str:
    suffixes = {"greedy": "", "probabilistic": KIMIK3_SAMPLED}
    sampling = speculation.sampling
    if sampling in suffixes:
        return suffixes[sampling]
    stated = "not stated" if sampling is None else repr(sampling)
    raise InputError(
        Problem(
            f"kimik3 has golden curves for greedy and probabilistic drafts, and the draft sampling "
            f"is {stated}",
            speculation.where,
            "state draft_sample_method",
        )
    )
