"""Japanese sentences rewritten in another style, by rules that change function words only.

Strings and morphemes in, strings out: ``rewriting.load_rules`` reads rules, ``rewriting.Expander`` applies them.
"""
