"""The truth server: OpenAI-compatible answers at stated moments, and a log of the real ones.

`python -m infx.servers.truth` runs it; `server.TruthServer` embeds it in a running loop.
`timing` follows a script, `engine` computes its moments from the load by a stated formula,
`tokens` states how prompt tokens are counted, `log` what is written about each request.
"""
