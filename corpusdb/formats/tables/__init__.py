"""Tables of texts, one unit a row: TSV and CSV, read and written."""
