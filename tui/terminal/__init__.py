"""The terminal: what it can show, copying to it, and the browser without a screen."""
