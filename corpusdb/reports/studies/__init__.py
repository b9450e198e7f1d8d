"""What the studies found, in tables and plots."""
