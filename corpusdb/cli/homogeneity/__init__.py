"""Commands on models of characters, profiles, similarity and selections."""
