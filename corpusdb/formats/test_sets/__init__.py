"""Test sets of machine translation: mteval SGM and WMT XML, read and written."""
