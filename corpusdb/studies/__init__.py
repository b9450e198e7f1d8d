"""The tables of the papers for any data: arrays and texts in, values out."""
