"""What every place of the browser has: its frame, dialogs, forms, help."""
