"""Accessories: one folder each."""
