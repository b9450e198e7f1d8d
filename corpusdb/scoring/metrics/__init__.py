"""Measures: how good a text is, how far two judges agree, how sure a rate is. Strings and numbers in, values out."""
