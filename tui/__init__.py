"""The terminal browser: the whole of corpusdb by keyboard.

app.py      the application: its screens, its keys        desk.py     what is read and written, in a thread of its own
screens/    one module a screen                           widgets/    lists, lines of input, the status line
settings.py  keys and looks, and how they are changed     browser.tcss  the one style sheet

Screens hold no SQL and no algorithm: they ask the desk, which asks corpusdb.queries.
"""
