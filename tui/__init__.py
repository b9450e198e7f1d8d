"""The terminal browser: screens, widgets, messages, one style sheet."""
