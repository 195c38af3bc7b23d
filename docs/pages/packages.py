"""The page of packages that serving is made of, from the registry that effects are told by."""

from infx.model.setting_registry import PackageRegistry
from infx.store.registries import registry
from pages.models import source
from pages.text import code, page, table


def packages() -> str:
    """Return the page: every package with what it is to a server, and the sources."""
    found = registry(PackageRegistry)
    rows = (
        (code(one.name), one.manager, one.part, code(one.folder) if one.folder else "", one.source)
        for one in found.packages
    )
    return page(
        "Packages",
        "What serving is made of. Installing, removing or rewriting one of these packages changes "
        "what an image ships, which [`engine-unpatched`](checks.md#engine-unpatched) refuses "
        "without a waiver. A path with the name of its code is engine code wherever it lies. Any "
        "other package of the image is one of the image; in an isolated environment of the client "
        "it may be installed.",
        table(("package", "manager", "part", "code", "stated by"), rows),
        "## Sources",
        "\n".join(f"- {source(name, one)}" for name, one in found.sources.items()),
    )
