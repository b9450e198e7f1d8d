"""Two systems side by side: where one is better, how far chance and the references decide it."""
