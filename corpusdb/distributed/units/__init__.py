"""What is read: files as aligned units, and these as Parquet."""
