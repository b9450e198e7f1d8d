"""Values in, lines out: what the command line and the browser both show."""
