"""infx: continuous benchmarking of LLM inference servers."""
