"""Shell scripts read as text: parsed, followed, never run. What each command writes, and where."""
