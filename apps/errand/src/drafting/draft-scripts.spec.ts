import type { JsonObject } from '@errand/contracts';
import { toolBookOf } from '@errand/registry';
import { array, assert, constantFrom, nat, option, property, record } from 'fast-check';
import { chooseEntry } from './choose-entry.js';
import { makeDraft } from './make-draft.js';
import { readPython } from './read-python.js';
import { readTypeScript } from './read-typescript.js';

interface Drafted {
  tool: JsonObject & { parameters: JsonObject };
  adapter?: string;
  notes: string[];
}

function draft(file: string, source: string, wanted?: string): Drafted {
  const reading = file.endsWith('.py') ? readPython(source) : readTypeScript(source);
  const entry = chooseEntry(reading, file.replace(/\.\w+$/, ''), wanted);
  const { files, notes } = makeDraft({ script: `/library/scripts/${file}`, reading, entry });
  const [tool, adapter] = files;
  return { tool: JSON.parse(tool!.text) as Drafted['tool'], notes, ...(adapter && { adapter: adapter.text }) };
}

/** What is expected of a script: its parameters, those that are required, and what else of the tool matters. */
interface Case {
  file: string;
  source: string;
  properties: JsonObject;
  required?: string[];
  more?: JsonObject;
  function?: string;
}

const PYTHON: Record<string, Case> = {
  'Google style': {
    file: 'weather.py',
    source: `
def forecast(city: str, days: int = 3, units: str = "metric") -> dict:
    """Looks up the weather of a city.

    Asks nobody, in truth.

    Args:
        city: The name of the city,
            in English.
        days (int, optional): How many days. Defaults to 3.
        units: metric or imperial

    Returns:
        One line for each day.

    Raises:
        ValueError: if there is no such city
    """
    return {}
`,
    properties: {
      city: { type: 'string', description: 'The name of the city, in English.' },
      days: { type: 'integer', default: 3, description: 'How many days. Defaults to 3.' },
      units: { type: 'string', default: 'metric', description: 'metric or imperial' },
    },
    required: ['city'],
    more: {
      toolId: 'my:forecast',
      description: 'Looks up the weather of a city. Asks nobody, in truth. Returns one line for each day.',
      output: { type: 'object', additionalProperties: true },
    },
  },
  'Google style without hints': {
    file: 'resize.py',
    source: `
def resize(path, width=640, keep_ratio=True, *, tags=None):
    """Resizes an image.

    Args:
        path (str): The image.
        width (int): In pixels.
        keep_ratio (bool): Whether height follows width.
        tags (list[str], optional): Words for it.
    """
`,
    properties: {
      path: { type: 'string', description: 'The image.' },
      width: { type: 'integer', default: 640, description: 'In pixels.' },
      keep_ratio: { type: 'boolean', default: true, description: 'Whether height follows width.' },
      tags: { type: ['array', 'null'], items: { type: 'string' }, description: 'Words for it.' },
    },
    required: ['path'],
  },
  'NumPy style': {
    file: 'stats.py',
    source: `
"""Statistics."""
import numpy as np

def main(values, method="mean", weights=None):
    """
    Summarizes a list of numbers.

    Parameters
    ----------
    values : list of float
        The numbers.
    method : {'mean', 'median'}, optional
        What to compute,
        of the two.
    weights : list of float, optional
        One for each.

    Returns
    -------
    float
        The summary.

    Notes
    -----
    Nothing of note.
    """
`,
    properties: {
      values: { type: 'array', items: { type: 'number' }, description: 'The numbers.' },
      method: {
        type: 'string',
        enum: ['mean', 'median'],
        default: 'mean',
        description: 'What to compute, of the two.',
      },
      weights: { type: ['array', 'null'], items: { type: 'number' }, description: 'One for each.' },
    },
    required: ['values'],
    more: {
      toolId: 'my:stats',
      description: 'Summarizes a list of numbers. Returns the summary.',
      output: { type: 'number' },
    },
  },
  'reST style': {
    file: 'mail.py',
    source: `
def send(to, subject, body="", urgent=False):
    """Sends a letter.

    :param to: who gets it
    :type to: str
    :param str subject: what it is about,
        in a few words
    :param body: the letter
    :param urgent: whether it hurries
    :returns: the number of the letter
    :rtype: int
    """
`,
    properties: {
      to: { type: 'string', description: 'who gets it' },
      subject: { type: 'string', description: 'what it is about, in a few words' },
      body: { type: 'string', default: '', description: 'the letter' },
      urgent: { type: 'boolean', default: false, description: 'whether it hurries' },
    },
    required: ['to', 'subject'],
    more: { description: 'Sends a letter. Returns the number of the letter.', output: { type: 'integer' } },
  },
  'every kind of hint': {
    file: 'hints.py',
    source: `
import typing as t
from typing import Any, Literal, Optional, Union
from collections.abc import Sequence, Mapping
def hints(a: Optional[int], b: Union[int, str], c: "str | None" = None, d: Literal["x", "y", 3] = "x", e: list[dict[str, float]] = [],
          f: tuple[int, str] = (1, "a"), g: Sequence[str] = (), h: Mapping[str, Any] = {}, i: t.List[t.Optional[bool]] = None,
          j: int | float = 1.5, k: tuple[int, ...] = (), l: Any = None, m: Optional[Literal["p", "q"]] = None) -> None: ...
`,
    properties: {
      a: { type: ['integer', 'null'] },
      b: { type: ['integer', 'string'] },
      c: { type: ['string', 'null'] },
      d: { enum: ['x', 'y', 3], default: 'x' },
      e: { type: 'array', items: { type: 'object', additionalProperties: { type: 'number' } }, default: [] },
      f: {
        type: 'array',
        prefixItems: [{ type: 'integer' }, { type: 'string' }],
        items: false,
        minItems: 2,
        default: [1, 'a'],
      },
      g: { type: 'array', items: { type: 'string' }, default: [] },
      h: { type: 'object', additionalProperties: true, default: {} },
      i: { type: ['array', 'null'], items: { type: ['boolean', 'null'] } },
      j: { type: 'number', default: 1.5 },
      k: { type: 'array', items: { type: 'integer' }, default: [] },
      l: {},
      m: { type: ['string', 'null'], enum: ['p', 'q', null] },
    },
    required: ['a', 'b'],
    more: { output: { type: 'null' } },
  },
  TypedDict: {
    file: 'order.py',
    source: `
from typing import TypedDict, NotRequired
class Line(TypedDict):
    """One line of an order.

    Attributes:
        article: The number of the article.
    """
    article: str
    count: NotRequired[int]
class Extra(Line, total=False):
    note: str
def order(lines: list[Line], extra: Extra): ...
`,
    properties: {
      lines: {
        type: 'array',
        items: {
          type: 'object',
          description: 'One line of an order.',
          properties: {
            article: { type: 'string', description: 'The number of the article.' },
            count: { type: 'integer' },
          },
          required: ['article'],
          additionalProperties: false,
        },
      },
      extra: {
        type: 'object',
        properties: {
          article: { type: 'string', description: 'The number of the article.' },
          count: { type: 'integer' },
          note: { type: 'string' },
        },
        required: ['article'],
        additionalProperties: false,
      },
    },
    required: ['lines', 'extra'],
  },
  dataclass: {
    file: 'trip.py',
    source: `
from dataclasses import dataclass, field
from enum import Enum
class Mode(str, Enum):
    TRAIN = "train"
    BOAT = "boat"
@dataclass(frozen=True)
class Stop:
    city: str
    nights: int = 1
    modes: list[Mode] = field(default_factory=list)
    _seen: bool = field(init=False, default=False)
def trip(start: Stop, mode: Mode = Mode.TRAIN): ...
`,
    properties: {
      start: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          nights: { type: 'integer', default: 1 },
          modes: { type: 'array', items: { type: 'string', enum: ['train', 'boat'] }, default: [] },
        },
        required: ['city'],
        additionalProperties: false,
      },
      mode: { type: 'string', enum: ['train', 'boat'], default: 'train' },
    },
    required: ['start'],
  },
  'pydantic and Annotated': {
    file: 'search.py',
    source: `
from typing import Annotated
from pydantic import BaseModel, Field
class Query(BaseModel):
    text: str = Field(..., min_length=1, description="What to look for")
    top: int = Field(5, ge=1, le=100)
def search(query: Query, page: Annotated[int, "Which page"] = 1, size: Annotated[int, Field(gt=0)] = 10): ...
`,
    properties: {
      query: {
        type: 'object',
        properties: {
          text: { type: 'string', minLength: 1, description: 'What to look for' },
          top: { type: 'integer', default: 5, minimum: 1, maximum: 100 },
        },
        required: ['text'],
        additionalProperties: false,
      },
      page: { type: 'integer', default: 1, description: 'Which page' },
      size: { type: 'integer', exclusiveMinimum: 0, default: 10 },
    },
    required: ['query'],
  },
  'dates, paths, sets and aliases': {
    file: 'plan.py',
    source: `
import datetime, uuid
from pathlib import Path
from decimal import Decimal
Names = list[str]
def plan(day: datetime.date, file: Path, ids: set[uuid.UUID], names: Names, price: Decimal = Decimal("1.5")): ...
`,
    properties: {
      day: { type: 'string', format: 'date' },
      file: { type: 'string' },
      ids: { type: 'array', items: { type: 'string', format: 'uuid' }, uniqueItems: true },
      names: { type: 'array', items: { type: 'string' } },
      price: { type: 'number' },
    },
    required: ['day', 'file', 'ids', 'names'],
  },
  'implicit types of defaults': {
    file: 'defaults.py',
    source: `def defaults(a=1, b=-2.5, c="x", d=True, e=None, f=[1, 2], g={"k": [None]}, h=1_000, i=SOMETHING, j=("a",)): ...`,
    properties: {
      a: { type: 'integer', default: 1 },
      b: { type: 'number', default: -2.5 },
      c: { type: 'string', default: 'x' },
      d: { type: 'boolean', default: true },
      e: {},
      f: { type: 'array', default: [1, 2] },
      g: { type: 'object', default: { k: [null] } },
      h: { type: 'integer', default: 1000 },
      i: {},
      j: { type: 'array', default: ['a'] },
    },
  },
  'async, with *args and **kwargs': {
    file: 'gather.py',
    source: `
async def gather(first: str, /, second: int = 2, *rest: float, key: bool = False, **others):
    """Gathers."""
`,
    properties: {
      first: { type: 'string' },
      second: { type: 'integer', default: 2 },
      rest: { type: 'array', items: { type: 'number' } },
      key: { type: 'boolean', default: false },
    },
    required: ['first'],
    more: { parameters: { additionalProperties: true } },
  },
  'a class and a private function beside the only public one': {
    file: 'tidy.py',
    source: `
class Tidy:
    def run(self, x: int): ...
def _clean(text): ...
def tidy_up(text: str) -> str:
    'Tidies up.'
    return _clean(text)
`,
    properties: { text: { type: 'string' } },
    required: ['text'],
    more: { toolId: 'my:tidy_up', displayName: 'Tidy up', description: 'Tidies up.', output: { type: 'string' } },
  },
  'one that is asked for': {
    file: 'many.py',
    source: 'def a(x: int): ...\ndef b(y: str): ...',
    function: 'b',
    properties: { y: { type: 'string' } },
    required: ['y'],
    more: { toolId: 'my:b' },
  },
  'a default that does not fit': {
    file: 'odd.py',
    source: 'def odd(x: int = "three", y: str = None): ...',
    properties: { x: { type: 'integer' }, y: { type: ['string', 'null'] } },
  },
  'escapes and long strings': {
    file: 'text.py',
    source: `
def text(sep: str = "\\n\\t\\u00e9", raw: str = r"\\d+", two: str = "a" 'b'):
    r"""Joins \\n lines."""
`,
    properties: {
      sep: { type: 'string', default: '\n\té' },
      raw: { type: 'string', default: '\\d+' },
      two: { type: 'string', default: 'ab' },
    },
    more: { description: 'Joins \\n lines.' },
  },
};

const PYTHON_DEFAULTS: Record<string, Case> = {
  'members of enums and constants': {
    file: 'paint.py',
    source: `
from enum import Enum
from pydantic import BaseModel, Field
LIMIT = 10
class Color(Enum):
    RED = "red"
    BLUE = "blue"
class User(BaseModel):
    age: int | None = Field(None, ge=0)
    kind: Literal["a", "b"] = "a"
def paint(color: Color = Color.BLUE, most: int = LIMIT, untold=Color.RED, user: User | None = None): ...
`,
    properties: {
      color: { type: 'string', enum: ['red', 'blue'], default: 'blue' },
      most: { type: 'integer', default: 10 },
      untold: {},
      user: {
        type: ['object', 'null'],
        properties: {
          age: { type: ['integer', 'null'], minimum: 0 },
          kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
        },
        additionalProperties: false,
      },
    },
  },
};

const PYTHON_STDIN: Record<string, Case> = {
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
"""Greets."""
import json
import sys

def greet(name: str, loud: bool = False) -> str:
    """Greets somebody."""
    return name

if __name__ == "__main__":
    json.dump(greet(**json.loads(sys.stdin.read())), sys.stdout)
`,
    properties: { name: { type: 'string' }, loud: { type: 'boolean', default: false } },
    required: ['name'],
    more: { description: 'Greets.', output: { type: 'string' } },
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
  'a dataclass that gets the keys, and a result by way of a variable': {
    file: 'weather.py',
    source: `
import asyncio, json, sys
from dataclasses import dataclass
@dataclass
class Query:
    """What is asked.

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
  'nothing to be seen': {
    file: 'opaque.py',
    source: '"""Does something to whatever comes."""\nimport sys\nfor line in sys.stdin: pass',
    properties: {},
    more: { description: 'Does something to whatever comes.', parameters: { additionalProperties: true } },
  },
};

const TYPESCRIPT: Record<string, Case> = {
  'positions and JSDoc': {
    file: 'shorten.ts',
    source: `
/**
 * Shortens a text.
 *
 * @param text - The text
 * @param length how long it may be
 * @param {string} ellipsis - ignored type, for it has one
 * @returns the short text
 */
export function shorten(text: string, length = 80, ellipsis?: string): string { return text; }
`,
    properties: {
      text: { type: 'string', description: 'The text' },
      length: { type: 'integer', default: 80, description: 'how long it may be' },
      ellipsis: { type: 'string', description: 'ignored type, for it has one' },
    },
    required: ['text'],
    more: { description: 'Shortens a text. Returns the short text.', output: { type: 'string' } },
  },
  'an interface of options': {
    file: 'fetch.ts',
    source: `
interface Paging { /** How many on a page */ size?: number }
export interface Options extends Paging {
  /** What to look for. */
  query: string;
  order?: 'asc' | 'desc';
  // from this one on
  after?: string | null;
  tags: readonly string[];
  filters?: Record<string, boolean>;
}
/** Looks for things. */
export default async function (options: Options): Promise<{ found: number }> { return { found: 0 }; }
`,
    properties: {
      size: { type: 'number', description: 'How many on a page' },
      query: { type: 'string', description: 'What to look for.' },
      order: { type: 'string', enum: ['asc', 'desc'] },
      after: { type: ['string', 'null'], description: 'from this one on' },
      tags: { type: 'array', items: { type: 'string' } },
      filters: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
    required: ['query', 'tags'],
    more: {
      toolId: 'my:fetch',
      output: {
        type: 'object',
        properties: { found: { type: 'number' } },
        required: ['found'],
        additionalProperties: false,
      },
    },
  },
  'a pattern with defaults': {
    file: 'pattern.ts',
    source: `
type Input = { text: string; times?: number; mode?: Mode };
type Mode = 'up' | 'down';
export const pattern = async ({ text, times = 2, mode = 'up' }: Input) => text.repeat(times);
`,
    properties: {
      text: { type: 'string' },
      times: { type: 'number', default: 2 },
      mode: { type: 'string', enum: ['up', 'down'], default: 'up' },
    },
    required: ['text'],
  },
  'every kind of type': {
    file: 'kinds.ts',
    source: `
enum Colour { Red = 'red', Blue = 'blue' }
enum Level { Low, High = 5, Higher }
export function kinds(a: Array<number>, b: [string, number], c: Colour, d: Level, e: 1 | -2 | null, f: unknown, g: (string | number)[],
  h: Partial<{ x: boolean; y: string }>, i: { [key: string]: number }, j: { a: string } & { b: number }, k: bigint, ...rest: string[]) {}
`,
    properties: {
      a: { type: 'array', items: { type: 'number' } },
      b: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
      c: { type: 'string', enum: ['red', 'blue'] },
      d: { type: 'integer', enum: [0, 5, 6] },
      e: { type: ['integer', 'null'], enum: [1, -2, null] },
      f: {},
      g: { type: 'array', items: { type: ['string', 'number'] } },
      h: { type: 'object', properties: { x: { type: 'boolean' }, y: { type: 'string' } }, additionalProperties: false },
      i: { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      j: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      k: {},
      rest: { type: 'array', items: { type: 'string' } },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'],
  },
  'JavaScript with JSDoc types': {
    file: 'area.js',
    source: `
/**
 * The area of a room.
 * @param {number} width in metres
 * @param {?number} [depth=4] in metres
 * @param {string[]} [names] of who lives there
 * @param {'m2'|'ft2'} unit
 * @param {Object<string, number>=} more
 * @return {Promise<number>} the area
 */
async function area(width, depth = 4, names, unit, more) {}
module.exports = { area };
`,
    properties: {
      width: { type: 'number', description: 'in metres' },
      depth: { type: ['number', 'null'], default: 4, description: 'in metres' },
      names: { type: 'array', items: { type: 'string' }, description: 'of who lives there' },
      unit: { type: 'string', enum: ['m2', 'ft2'] },
      more: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['width', 'unit'],
    more: { description: 'The area of a room. Returns the area.', output: { type: 'number' } },
  },
  'JSDoc of the properties of one object': {
    file: 'book.js',
    source: `
/**
 * Books a table.
 * @param {Object} request
 * @param {string} request.name who comes
 * @param {number} [request.guests] how many
 */
export function book(request) {}
`,
    properties: {
      name: { type: 'string', description: 'who comes' },
      guests: { type: 'number', description: 'how many' },
    },
    required: ['name'],
  },
  'a default export by name': {
    file: 'late.ts',
    source: 'function helper(a: string) {}\nfunction late(b: number) {}\nexport { helper };\nexport default late;',
    properties: { b: { type: 'number' } },
    required: ['b'],
  },
  'Bun.stdin with a type': {
    file: 'slug.ts',
    source: `/** Makes a slug. */\nconst { title }: { title: string } = await Bun.stdin.json();\nconsole.log(JSON.stringify(title));`,
    properties: { title: { type: 'string' } },
    required: ['title'],
    more: { description: 'Makes a slug.', toolId: 'my:slug' },
  },
  'a cast, and text that is parsed later': {
    file: 'cast.ts',
    source: `
import { readFileSync } from 'node:fs';
interface Input { a: number; b?: string }
const text = readFileSync(0, 'utf8');
const input = JSON.parse(text) as Input;
`,
    properties: { a: { type: 'number' }, b: { type: 'string' } },
    required: ['a'],
  },
  'names taken out of what is read': {
    file: 'names.js',
    source: `
const input = JSON.parse(require('fs').readFileSync('/dev/stdin', 'utf8'));
const { mode = 'fast' } = await Bun.stdin.json();
console.log(JSON.stringify(input.text + (input.lang ?? 'en')));
`,
    properties: { mode: { type: 'string', default: 'fast' }, text: {}, lang: {} },
    required: ['text'],
    more: { parameters: { additionalProperties: true } },
  },
  'a function that gets what is read': {
    file: 'handed.ts',
    source: `
interface Args { n: number }
export async function main(args: Args) {}
await main(await Bun.stdin.json());
`,
    properties: { n: { type: 'number' } },
    required: ['n'],
  },
  'a function whose result is printed': {
    file: 'printed.ts',
    source: `
interface Args {
  n: number; // how many
  deep?: boolean; // whether to look
  // what for
  why?: string;
}
/** Counts. */
async function main(args: Args): Promise<number> { return args.n; }
const counted = await main(JSON.parse(await Bun.stdin.text()) as Args);
console.log(JSON.stringify(counted));
`,
    properties: {
      n: { type: 'number', description: 'how many' },
      deep: { type: 'boolean', description: 'whether to look' },
      why: { type: 'string', description: 'what for' },
    },
    required: ['n'],
    more: { description: 'Counts.', output: { type: 'number' } },
  },
};

const ALL = Object.entries({ ...PYTHON, ...PYTHON_DEFAULTS, ...PYTHON_STDIN, ...TYPESCRIPT });

describe('a draft', () => {
  it.each(ALL)('reads %s', (_name, { file, source, properties, required, more = {}, function: wanted }) => {
    const { tool } = draft(file, source, wanted);
    expect(tool.parameters.properties).toEqual(properties);
    expect(tool.parameters.required).toEqual(required);
    expect(tool).toMatchObject(more);
  });

  it.each(ALL)('of %s has a schema that can be called with', (_name, { file, source, function: wanted }) => {
    const { tool } = draft(file, source, wanted);
    const book = toolBookOf([{ toolId: 'x', parameters: tool.parameters }]);
    const problems = book.validate(book.find('x')!, {}).problems.map(({ path }) => path.slice(1));
    expect(problems).toEqual((tool.parameters.required as string[] | undefined) ?? []);
  });

  it('calls no function of a script that reads its input itself', () => {
    for (const { file, source } of Object.values(PYTHON_STDIN))
      expect(draft(file, source)).not.toHaveProperty('adapter');
    expect(draft('slug.ts', TYPESCRIPT['Bun.stdin with a type']!.source)).not.toHaveProperty('adapter');
  });

  it('is open only where what the script reads may be more than is seen', () => {
    const closed = draft('main.py', PYTHON_STDIN['a function that gets the keys']!.source);
    expect(closed.tool.parameters).not.toHaveProperty('additionalProperties');
    const open = draft('whole.py', PYTHON_STDIN['a function that gets the whole']!.source);
    expect(open.tool.parameters).toHaveProperty('additionalProperties', true);
  });

  it('names the script that runs, and the function of it that is called', () => {
    const usual = { type: 'external-script', language: 'python' };
    expect(draft('main.py', PYTHON_STDIN['a function that gets the keys']!.source).tool.handler).toEqual({
      ...usual,
      scriptPath: 'main.py',
    });
    const named = draft('area.py', 'def area(width: float, depth=2): ...');
    expect(named.tool.handler).toEqual({ ...usual, scriptPath: 'area.py', entryPoint: 'area' });
    expect(named).not.toHaveProperty('adapter');
  });

  it.each([
    ['a.py', 'def a(x: int, /): ...'],
    ['a.py', 'def a(x: int, /, *, y: int): ...'],
    ['a.py', 'def a(*x: int): ...'],
    ['a.py', 'def a(x: int):\n  yield x'],
    ['a.py', 'import datetime\ndef a(x: datetime.date): ...'],
    ['a.ts', 'export default function a(x: string) {}'],
    ['a.ts', 'export function a(...x: string[]) {}'],
    ['a.ts', "export function a(x = 'a, b') {}"],
    ['a.ts', 'export function* a(x: string) {}'],
  ])('of %s with %j has a script of its own, which calls the function as it wants to be', (file, source) => {
    const { tool, adapter } = draft(file, source);
    expect(tool.handler).toMatchObject({ scriptPath: file.replace('.', '.call.') });
    expect(tool.handler).not.toHaveProperty('entryPoint');
    expect(adapter).toContain(file.endsWith('.py') ? 'called(' : 'script.');
  });

  it.each([
    ['def a(x: str): ...', 'a.py'],
    ['async def a(*, x: str, **more): ...', 'a.py'],
    ['export function a(x: string, y = 2, z = true) {}', 'a.ts'],
    ['export const a = async ({ x, y = [] }: { x: string; y?: string[] }) => x;', 'a.ts'],
  ])('of %j needs none', (source, file) => {
    expect(draft(file, source).tool.handler).toMatchObject({ scriptPath: file, entryPoint: 'a' });
  });

  it('says what the source does not', () => {
    const { notes, tool } = draft('odd.py', PYTHON['a default that does not fit']!.source);
    expect(notes).toEqual([
      'the description: the source has no words for it',
      'the default of x: "three" is not of its type',
    ]);
    expect(tool.description).toMatch(/^Odd\. Say here/);
    expect(draft('x.py', 'def x(a: Frame): ...').notes[0]).toContain('the type Frame');
    expect(draft('x.py', 'def x(a: int): ...\n)(').notes.join()).toContain('line 2 could not be read');
  });
});

describe('a broken source', () => {
  const marks = constantFrom(...'()[]{}:,*/=@\'"\n|<>.#`'.split(''));
  const damage = record({ at: nat(400), without: nat(12), mark: option(marks, { nil: '' }) });

  it('is read as far as it goes', () => {
    assert(
      property(constantFrom(...ALL), array(damage, { minLength: 1, maxLength: 4 }), ([, { file, source }], all) => {
        const broken = all.reduce(
          (text, { at, without, mark }) => text.slice(0, at) + mark + text.slice(at + without),
          source,
        );
        const { functions } = file.endsWith('.py') ? readPython(broken) : readTypeScript(broken);
        expect(functions.every(({ name }) => typeof name === 'string')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('where no function is the tool', () => {
  it.each([
    ['a.py', '"""Nothing."""', /has no function to call/],
    ['a.py', 'def b(x): ...\ndef c(y): ...', /several functions .*: b, c\. Name one: --function b/],
    ['a.py', 'def _b(x): ...', /No function of the script can be called from outside \(it has _b\)/],
    ['a.py', 'import argparse\ndef main():\n  argparse.ArgumentParser()', /words of a command line/],
    ['a.py', '# sys.stdin is not read\nx = "json.load(sys.stdin)"', /has no function to call/],
    ['a.ts', 'function b() {}', /export one/],
    ['a.ts', 'console.log(process.argv)', /words of a command line/],
  ])('%s %j says why', (file, source, message) => {
    expect(() => draft(file, source)).toThrow(message);
  });

  it('names the nearest one to what is asked for', () => {
    expect(() => draft('a.py', 'def summarize(x): ...', 'sumarize')).toThrow("did you mean 'summarize'?");
    expect(() => draft('a.ts', 'function b(x: string) {}', 'b')).toThrow('export it');
  });
});
