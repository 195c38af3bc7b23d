"""Pure statistics: percentiles and bootstrap intervals."""
