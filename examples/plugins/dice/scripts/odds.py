"""dice:odds. Arguments come as JSON on stdin, the result goes as one JSON value to stdout, stderr is the log."""

import json
import sys


def ways_to_roll(count, sides):
    """The number of rolls for each sum."""
    ways = {0: 1}
    for _ in range(count):
        after = {}
        for total, number in ways.items():
            for side in range(1, sides + 1):
                after[total + side] = after.get(total + side, 0) + number
        ways = after
    return ways


arguments = json.load(sys.stdin)
count, sides = arguments["count"], arguments["sides"]
ways = ways_to_roll(count, sides).get(arguments["target"], 0)
print(f"{ways} of {sides**count} rolls", file=sys.stderr)
json.dump({"ways": ways, "of": sides**count, "percent": round(100 * ways / sides**count, 2)}, sys.stdout)
