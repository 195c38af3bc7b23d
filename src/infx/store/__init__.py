"""Files and values: strict documents, run bundles, downloads."""
