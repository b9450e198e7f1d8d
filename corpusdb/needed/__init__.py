"""What the program needs before anything of it can run."""
