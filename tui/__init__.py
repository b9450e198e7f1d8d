"""The terminal browser: the whole of corpusdb by keyboard.

app             the application: its keys, the way between places, and what places show as plain lines
places          the registry of places: a new one costs its module and a line there
kit/            what all places have: screens, dialogs, lists and messages, settings and keys, the terminal, and the
                runner of questions, changes and jobs on the database
browser.tcss    the one style sheet

Every capability that has a place is a folder or a module of the same name. Screens hold no SQL and no algorithm: they
ask the runner, which asks the queries in threads of its own. tests/architecture/structure_rules.py says who may
import whom.
"""
