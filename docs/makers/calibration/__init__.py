"""docs/calibration.md: how far the words of the summary can be trusted, found on runs whose answer is known.

`laws` says how trainings differ, `readouts` draws synthetic readouts, `pools` measures them as the audits do and is the
population, `populations` says which there are, `simulation` draws runs from each, `operating` judges intervals and
words by them, and `page` and `figure` show that. No stage of a run needs any of it.
"""
