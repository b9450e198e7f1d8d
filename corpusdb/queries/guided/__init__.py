"""References that are generated for given outputs, and reference sets that are frozen before they are scored with."""
