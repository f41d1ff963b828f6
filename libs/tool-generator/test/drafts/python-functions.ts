import type { DraftCase } from './draft-case.js';

export const PYTHON: Record<string, DraftCase> = {
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
        The value to compute,
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
        description: 'The value to compute, of the two.',
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

    :param to: the recipient
    :type to: str
    :param str subject: the topic of it,
        in a few words
    :param body: the letter
    :param urgent: whether it hurries
    :returns: the number of the letter
    :rtype: int
    """
`,
    properties: {
      to: { type: 'string', description: 'the recipient' },
      subject: { type: 'string', description: 'the topic of it, in a few words' },
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
    text: str = Field(..., min_length=1, description="The text to search for")
    top: int = Field(5, ge=1, le=100)
def search(query: Query, page: Annotated[int, "Which page"] = 1, size: Annotated[int, Field(gt=0)] = 10): ...
`,
    properties: {
      query: {
        type: 'object',
        properties: {
          text: { type: 'string', minLength: 1, description: 'The text to search for' },
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
  'a requested function': {
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

export const PYTHON_DEFAULTS: Record<string, DraftCase> = {
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
    likes: Color = Color.RED
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
          likes: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        },
        additionalProperties: false,
      },
    },
  },
};
