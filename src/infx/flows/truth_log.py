"""A client's records beside the log of the truth server that answered them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from infx.clock import NS
from infx.errors import InputError, Problem
from infx.metrics.per_request import completed
from infx.model.bundle import PointFile
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.servers.truth.log import Sent
from infx.stats.percentile import mean, percentile


@dataclass(frozen=True, slots=True)
class TtftTruth:
    """TTFT of the same ok requests of profiling, in seconds: the server's own, and the excess.

    `bias_mean` and `bias_p99` are the client's mean and p99 of TTFT minus the server's: from
    the read that completed a request to the write of its first token. `read_late_mean` and
    `read_late_p99` are the client's own part of it: from that write to the client's read. The rest
    is what requests waited until the server read them.
    """

    requests: int
    server_mean: float
    server_p99: float
    bias_mean: float
    bias_p99: float
    read_late_mean: float
    read_late_p99: float


def read_log(path: Path) -> dict[str, Sent]:
    """Return what a truth server wrote of each request that had an X-Request-ID, by that id.

    Raises InputError when the file cannot be read or is no such log.
    """
    try:
        rows = [Sent(**orjson.loads(line)) for line in path.read_bytes().splitlines()]
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(path))) from None
    except (orjson.JSONDecodeError, TypeError) as error:
        raise InputError(Problem(f"no log of a truth server: {error}", str(path))) from None
    return {row.request_id: row for row in rows if row.request_id is not None}


def ttft_truth(
    point: PointFile, records: Iterable[RequestRecord], log: dict[str, Sent]
) -> TtftTruth:
    """Hold a point's TTFT against the server's log, joined by request id.

    Raises InputError when no request stands in both.
    """
    pairs = [
        (record, log.get(f"{point.request_name}-{record.request}"))
        for record in completed(Measured(tuple(records)))
    ]
    seen: list[float] = []
    truth: list[float] = []
    late: list[float] = []
    for record, sent in pairs:
        if sent is None or sent.first_token_ns is None or record.first_content_ns is None:
            continue
        seen.append((record.first_content_ns - record.sent_ns) / NS)
        truth.append((sent.first_token_ns - sent.received_ns) / NS)
        late.append((record.first_content_ns - sent.first_token_ns) / NS)
    if not seen:
        raise InputError(Problem("the server's log has no request of this point"))
    for figures in (seen, truth, late):
        figures.sort()
    server_p99 = percentile(truth, 99)
    return TtftTruth(
        requests=len(seen),
        server_mean=mean(truth),
        server_p99=server_p99,
        bias_mean=mean(seen) - mean(truth),
        bias_p99=percentile(seen, 99) - server_p99,
        read_late_mean=mean(late),
        read_late_p99=percentile(late, 99),
    )
