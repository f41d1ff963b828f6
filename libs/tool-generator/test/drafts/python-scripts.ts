import type { DraftCase } from './draft-case.js';

export const PYTHON_STDIN: Record<string, DraftCase> = {
  'keys that are read': {
    file: 'analyze.py',
    source: `"""Analyzes a text.

Args:
    text (str): The text.
"""
import json, sys
data = json.load(sys.stdin)
text, top = data["text"], data.get("top", 5)
lang: str = data.get("lang")
data["out"] = 1
print(json.dumps({"words": len(text.split()[:top])}))
`,
    properties: {
      text: { type: 'string', description: 'The text.' },
      top: { type: 'integer', default: 5 },
      lang: { type: 'string' },
    },
    required: ['text'],
    more: { description: 'Analyzes a text.', parameters: { additionalProperties: true } },
  },
  'a function that gets the keys': {
    file: 'main.py',
    source: `
"""Salutes."""
import json
import sys

def salute(name: str, loud: bool = False) -> str:
    """Salutes somebody."""
    return name

if __name__ == "__main__":
    json.dump(salute(**json.loads(sys.stdin.read())), sys.stdout)
`,
    properties: { name: { type: 'string' }, loud: { type: 'boolean', default: false } },
    required: ['name'],
    more: { description: 'Salutes somebody.', output: { type: 'string' } },
  },
  'a function that gets the whole': {
    file: 'whole.py',
    source: `
import json, sys
def main(args):
    count = args["count"]
    return count * args.get("by", 2)
print(json.dumps(main(json.load(sys.stdin))))
`,
    properties: { count: {}, by: { type: 'integer', default: 2 } },
    required: ['count'],
  },
  'a dataclass that gets the keys, and a result in a variable': {
    file: 'weather.py',
    source: `
import asyncio, json, sys
from dataclasses import dataclass
@dataclass
class Query:
    """The query.

    Args:
        city: The city
    """
    city: str
    days: int = 1

async def main(query: Query) -> list[str]:
    """Looks up the weather."""
    return []

result = asyncio.run(main(Query(**json.load(sys.stdin))))
print(json.dumps(result, ensure_ascii=False))
`,
    properties: { city: { type: 'string', description: 'The city' }, days: { type: 'integer', default: 1 } },
    required: ['city'],
    more: { description: 'Looks up the weather.', output: { type: 'array', items: { type: 'string' } } },
  },
  'types of the parameters that the keys go to': {
    file: 'typed.py',
    source: `
import json, sys
def work(text: str, times: int): ...
payload = json.loads(sys.stdin.read())
json.dump(work(payload["text"], times=payload["times"]), sys.stdout)
`,
    properties: { text: { type: 'string' }, times: { type: 'integer' } },
    required: ['text', 'times'],
  },
  'input that the script reads line by line': {
    file: 'opaque.py',
    source: '"""Does something to whatever comes."""\nimport sys\nfor line in sys.stdin: pass',
    properties: {},
    more: { description: 'Does something to whatever comes.', parameters: { additionalProperties: true } },
  },
};
