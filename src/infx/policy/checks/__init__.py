"""One rule a module, named by its id: a docstring that is its manual page, `NEEDS`, and `check`."""

CHECKS: dict[str, str] = {
    "owner-sign-off": "infx.policy.checks.owner_sign_off",
    "passing-sweep": "infx.policy.checks.passing_sweep",
    "evals": "infx.policy.checks.evals",
    "upstream-recipe": "infx.policy.checks.upstream_recipe",
    "reuse-command": "infx.policy.checks.reuse_command",
    "checklist": "infx.policy.checks.checklist",
    "upstream-image": "infx.policy.checks.upstream_image",
    "active-model": "infx.policy.checks.active_model",
    "architecture-intact": "infx.policy.checks.architecture_intact",
    "chat-template": "infx.policy.checks.chat_template",
    "engine-unpatched": "infx.policy.checks.engine_unpatched",
    "golden-acceptance": "infx.policy.checks.golden_acceptance",
    "append-only": "infx.policy.checks.append_only",
    "draft-precision": "infx.policy.checks.draft_precision",
    "curve-density": "infx.policy.checks.curve_density",
    "description-claims": "infx.policy.checks.description_claims",
    "overview-page": "infx.policy.checks.overview_page",
    "metrics-published": "infx.policy.checks.metrics_published",
    "curve-gap": "infx.policy.checks.curve_gap",
    "client-certified": "infx.policy.checks.client_certified",
    "workload-as-declared": "infx.policy.checks.workload_as_declared",
    "outputs-not-garbage": "infx.policy.checks.outputs_not_garbage",
}
"""Check id -> module name."""
