"""What studies compute from a database, or from texts and scores of people."""
