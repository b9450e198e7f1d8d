"""What the work of the program takes, in words."""
