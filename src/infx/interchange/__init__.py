"""Files of other tools: one foreign format a file, read and written together.

A module has `read(path)`, which returns what the file says, and `write(outgoing, folder)`, which
writes it for one point and returns its path, or several; the rows of a run are one file.
"""

FORMATS = {
    "aiperf-records": "infx.interchange.aiperf_records",
    "aiperf-aggregate": "infx.interchange.aiperf_aggregate",
    "aiperf-table": "infx.interchange.aiperf_table",
    "aiperf-slices": "infx.interchange.aiperf_slices",
    "aiperf-server-metrics": "infx.interchange.aiperf_server_metrics",
    "agentx-row": "infx.interchange.agentx_row",
    "benchmark-rows": "infx.interchange.benchmark_rows",
}
