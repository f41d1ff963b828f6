"""starter:count-words. Arguments come as JSON on stdin, the result goes as one JSON value to stdout, stderr is the log."""

import json
import sys

arguments = json.load(sys.stdin)
words = arguments["text"].split()
print(f"found {len(words)} words", file=sys.stderr)
json.dump({"words": len(words), "longest": max(words, key=len, default="")}, sys.stdout)
