"""Studies of equivalents in references: what they change in scores, and what people say of them."""
