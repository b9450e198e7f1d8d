"""The command line: one thin module per group of commands over ``corpusdb.queries``.

app.py              the program and its list of commands
program/            what all commands share: commands from dataclasses of options (command.py), the database and the
                    talk of one call (invocation.py), errors as one line and an exit code (failures.py), data on
                    stdout (output.py, rows.py), jobs on stderr (progress.py)
corpus/ search/ paraphrases/ evaluation/ database/     the commands, by subject

No module here imports anything heavy (numpy, sqlite-utils, textual, rich) when it is imported itself: ``corpusdb
--help`` and every key press of shell completion would pay for it. The functions of the commands import what they
need.
"""
