"""Values that travel between rooms, one type per thing, and the keys that identify them."""
