"""The chain on Spark: the same definitions as everywhere else, over rows that stand on many machines.

Nothing outside of this room imports pyspark, and nothing in it knows the database. Each step writes Parquet into a
folder that all machines see, and is taken up again there. `corpusdb guide cluster` says how it is run.
"""
