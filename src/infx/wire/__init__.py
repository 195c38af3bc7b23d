"""HTTP to inference servers: one connection, its event stream, and what the events say."""
