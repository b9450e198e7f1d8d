"""N-grams of streams of numbers and of characters: counting and finding them, of every length."""
