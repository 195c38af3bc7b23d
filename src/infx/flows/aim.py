"""Where a point's requests go, what all of them carry, and when its phases end."""

from infx.clock import NS
from infx.flows.options import BenchOptions
from infx.load.target import Stop, Target
from infx.model.agentic import own_fields
from infx.model.bundle import PointFile
from infx.wire.chat import PATHS, body_frame
from infx.wire.fetch import Client, request_head


def headers(options: BenchOptions) -> tuple[tuple[str, str], ...]:
    """Return the headers of everything that a run asks its server."""
    found = [("Accept", "text/event-stream, application/json"), *options.headers]
    if options.api_key is not None:
        found.append(("Authorization", f"Bearer {options.api_key}"))
    return tuple(found)


def target(client: Client, point: PointFile) -> Target:
    """Return where a point's requests go, with all of their bytes that no turn changes."""
    workload = point.workload
    own = (*client.headers, ("Content-Type", "application/json"))
    return Target(
        address=client.address,
        dial=client.dial,
        head=request_head("POST", client.address, PATHS[workload.api], own),
        frame=body_frame(
            api=workload.api,
            model=point.endpoint.model or "",
            settings=own_fields(workload),
            extra=workload.extra_body,
        ),
        name=point.request_name,
    )


def stop(options: BenchOptions) -> Stop:
    """Return when phases end, apart from the duration of what is asked."""
    limit = options.request_timeout_s
    return Stop(
        grace_ns=round(options.grace_s * NS),
        request_limit_ns=None if limit is None else round(limit * NS),
        stall_ns=round(options.stall_timeout_s * NS),
    )
