"""text:analyze. Arguments come as JSON on stdin, the result goes as one JSON value to stdout, everything on stderr is the log."""

import json
import sys
import time

from words import count_words, words_of

PAUSE_SECONDS = 0.25  # so that a reader can watch the log grow


def log(line):
    print(line, file=sys.stderr, flush=True)
    time.sleep(PAUSE_SECONDS)


def progress(value, message):
    log(f"::progress {value} {message}")


def main():
    arguments = json.load(sys.stdin)
    text, top = arguments["text"], arguments["top"]

    log(f"reading {len(text)} characters")
    progress(0.3, "splitting")
    words = words_of(text)
    log(f"found {len(words)} words")
    progress(0.6, "counting")
    counts = count_words(words)
    log(f"{len(counts)} of them are different")
    progress(0.9, "sorting")

    most_frequent = [{"word": word, "count": count} for word, count in counts.most_common(top)]
    log("done")
    json.dump({"words": len(words), "unique": len(counts), "top": most_frequent}, sys.stdout)


if __name__ == "__main__":
    main()
