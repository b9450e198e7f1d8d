"""Replay: what the program once made, made again and compared bit for bit, with the inputs that differ."""
