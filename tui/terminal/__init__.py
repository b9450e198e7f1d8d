"""The terminal: what it can show, copying to it, and an application that owns it."""
