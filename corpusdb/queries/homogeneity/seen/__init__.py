"""A profile to be looked at: lines in the order of a scale, what lies between two thresholds, and keeping it."""
