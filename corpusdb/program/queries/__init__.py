"""What the program does over all capabilities: the demonstration, and replay."""
