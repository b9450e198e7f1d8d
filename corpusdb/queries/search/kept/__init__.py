"""What is kept of queries: what a user is used to, and results under a name."""
