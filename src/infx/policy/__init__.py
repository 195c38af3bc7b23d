"""Policy: what is asked of a submission, and whether it is so. It judges facts, it finds none."""
