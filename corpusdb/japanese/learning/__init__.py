"""What sentences that share a translation say of rules: twins to be made of each other, and rules that they suggest."""
