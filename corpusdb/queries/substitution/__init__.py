"""References in which equivalents from the bitext of an evaluation are substituted: scores, files and the study."""
