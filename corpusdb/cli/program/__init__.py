"""What every command needs: its options, its database, its output, its errors."""
