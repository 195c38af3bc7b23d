"""Pure statistics: percentiles and intervals."""
