"""Statistics of any numbers: how sure a rate or a difference is, and how far two judges or two measures agree."""
