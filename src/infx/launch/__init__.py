"""Running a launch plan: starting processes, waiting for health, leaving nothing behind."""
