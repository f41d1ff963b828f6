"""Tries what should be refused and prints the names of what was not: an empty list is a defence that held.

Only a refusal by the system counts as one. Any other exception is a mistake in the attack itself and fails the run.
"""

import json


def report(**attempts):
    achieved = []
    for name, attempt in attempts.items():
        try:
            outcome = attempt()
        except OSError:
            continue
        if outcome is not False:
            achieved.append(name)
    print(json.dumps(achieved))
