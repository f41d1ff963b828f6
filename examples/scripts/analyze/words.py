"""A module beside the script. Errand packs the whole folder with the script."""

import re
from collections import Counter


def words_of(text):
    """Runs of letters, digits and apostrophes, in lower case."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def count_words(words):
    return Counter(words)
