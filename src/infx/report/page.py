"""The static page of a run: one HTML file that opens from disk and asks the network for nothing."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template

from infx.report import frontier, replays, tables
from infx.report.content import Report
from infx.report.details import metrics_details
from infx.report.distributions import distributions
from infx.report.environment import environment
from infx.report.headline import headline, title
from infx.report.markup import Html, data_block, element, escape, join
from infx.report.recorded import recorded_table
from infx.report.sizing import sizing_table
from infx.report.speculation import speculation_table
from infx.report.timeline import timelines

SCRIPTS = ("d3.min.js", "plot.umd.min.js", "charts.js")
LICENCES = ("d3.LICENSE.txt", "plot.LICENSE.txt")


def asset(name: str) -> str:
    """Return the text of a shipped asset."""
    return files("infx.report").joinpath("assets", name).read_text("utf-8")


def render(report: Report) -> str:
    """Return the page of a run as HTML text.

    Only the page's own style and scripts may run, by their hashes; every string that came from a
    server, a host or a user is escaped, and the charts get their data from an inert JSON block.
    """
    style = asset("page.css")
    scripts = [asset(name) for name in SCRIPTS]
    data = {
        "curves": {"series": frontier.series(report), "cards": frontier.cards(report)},
        "distributions": distributions(report.points),
        "timelines": timelines(report.points),
    }
    return Template(asset("page.html")).substitute(
        policy=_policy(style, scripts),
        title=escape(f"{title(report)} · infx"),
        style=style,
        headline=headline(report),
        points=join([tables.points_table(report), replays.sessions_table(report)]),
        steady=tables.steady_table(report),
        counts=join(
            [
                tables.counts_table(report),
                replays.server_table(report),
                speculation_table(report),
                sizing_table(report),
                recorded_table(report),
            ]
        ),
        metrics=metrics_details(report),
        environment=environment(report),
        licences=join(element("pre", asset(name), tabindex="0") for name in LICENCES),
        data=data_block("data", data),
        scripts=Html("\n".join(f"<script>{text}</script>" for text in scripts)),
    )


def _policy(style: str, scripts: list[str]) -> Html:
    """Return a content policy that allows exactly these inline texts and nothing else."""
    allowed = " ".join(map(_source, scripts))
    return Html(
        f"default-src 'none'; script-src {allowed}; style-src {_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
