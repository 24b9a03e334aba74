"""docs/calibration.md: how often verdicts are wrong, found on runs whose answer is known.

`populations` draws what the audits would measure of many trainings and texts, `simulation` draws runs from these and
asks the questions, `page` writes what comes out. No stage of a run needs any of it.
"""
