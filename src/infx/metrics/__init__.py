"""Numbers from records and samples; one file a metric."""
