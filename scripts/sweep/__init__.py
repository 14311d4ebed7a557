"""Compares a sweep of six DistilBERT cases with optimum-benchmark's: its wall time, and how often its intervals hold.

Run by `make bench-sweep`. `programs` runs both and reads what they measured, `medians`
makes intervals and counts how often they hold, `report` writes tables and files, `checkpoint` makes the model that
optimum-benchmark loads.
"""
