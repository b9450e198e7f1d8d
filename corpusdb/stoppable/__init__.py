"""Work that people ask for and may have to stop: regular expressions, and a limit for whatever else takes long.

``regex`` finds what Python's ``re`` finds. A search of ``re`` cannot be stopped once it has begun and keeps all other
threads waiting; for most patterns it ends soon, which ``effort`` knows beforehand. All others run in a process of their
own, which is ended when a sentence takes too long, when the time is over, or when somebody no longer wants the answer.
"""
