"""The terminal browser: the whole of corpusdb by keyboard.

app          the application: its keys, and the way between places      plain_output  the same for pipes, as lines
places       the registry of places: a new one costs its module and a line there

corpus  sessions  paradigms  judging  jobs  overview  equivalents  rules  one room for each place; none of these imports
                                                                          another, but scores and profile go to corpus

shared       what all places have: their frame, dialogs, forms, help    shell         what screens know of the app
messages     what widgets and screens tell, and want of other places    looks         the theme and the borders
widgets      lists, lines of input, the status line                     keys          which there are, what they do now
terminal     what it can show, copying to it, owning it                 shown         text as every widget shows it
background   the runner of questions, changes and jobs on the database  browser.tcss  the one style sheet

Screens hold no SQL and no algorithm: they ask the runner, which asks corpusdb.corpus.queries in threads of its own.
tests/architecture/structure_rules.py says who may import whom.
"""
