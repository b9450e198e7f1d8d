"""Scores that others gave: of other metrics and of people, in whatever file they come; one reader for all of them.

reading.py     which kind of file it is         score_file.py   what every kind is read into
tables.py      tables with a header             annotations.py  errors and ratings of people: MQM, ESA, DA
programs.py    the text that programs print     documents.py    JSON
human.py       what people said of systems    coverage.py     what has no score
"""
