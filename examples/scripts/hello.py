"""For core:execute-python-script: its `inputData` comes as JSON on stdin."""

import json
import sys

data = json.load(sys.stdin)
print(f"got {data!r}", file=sys.stderr)
json.dump({"greeting": f"Hello, {data.get('name', 'world')}!"}, sys.stdout)
