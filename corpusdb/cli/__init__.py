"""The command line: one thin module per group of commands over ``corpusdb.queries``.

app.py           the program and its list of commands        registration.py  commands from dataclasses of options
session.py       the database and the talk of one call       failures.py      errors as one line and an exit code
output.py        data on stdout                              progress.py      jobs, shown on stderr

No module here imports anything heavy (numpy, sqlite-utils, textual, rich) when it is imported itself: ``corpusdb
--help`` and every key press of shell completion would pay for it. The functions of the commands import what they
need.
"""
