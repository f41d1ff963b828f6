"""A module beside the script: the whole folder travels with it."""

import re
from collections import Counter


def words_of(text):
    """Runs of letters, digits and apostrophes, in lower case."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def count_words(words):
    return Counter(words)
