"""Models of characters, profiles between two references, outliers and selections."""
