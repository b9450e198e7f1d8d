"""The demonstration: each of the five systems on the built-in phrasebook."""
