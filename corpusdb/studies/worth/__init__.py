"""What references that were made are worth to an evaluation, beside those that people wrote."""
