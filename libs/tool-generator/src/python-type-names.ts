import type { JsonSchema } from '@errand/contracts';

const TEXT = { type: 'string' };

/** The names of types that say by themselves what they are in JSON; those of docstrings, too. */
export const PLAIN: Readonly<Record<string, JsonSchema>> = {
  str: TEXT,
  string: TEXT,
  int: { type: 'integer' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  number: { type: 'number' },
  complex: {},
  bool: { type: 'boolean' },
  boolean: { type: 'boolean' },
  None: { type: 'null' },
  Any: {},
  object: {},
  Path: TEXT,
  PurePath: TEXT,
  PathLike: TEXT,
  Decimal: { type: 'number' },
  UUID: { type: 'string', format: 'uuid' },
  datetime: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time' },
};

/** Types that hold others. */
export const LISTS = /^(?:list|List|Sequence|MutableSequence|Iterable|Iterator|Collection|deque|array)$/;
export const SETS = /^(?:set|Set|frozenset|FrozenSet|AbstractSet)$/;
export const TUPLES = /^(?:tuple|Tuple)$/;
export const DICTIONARIES = /^(?:dict|Dict|Mapping|MutableMapping|OrderedDict|defaultdict|DefaultDict|Counter)$/;

/** What they hold is the type. */
export const TRANSPARENT = /^(?:Required|NotRequired|ReadOnly|Final|ClassVar|Annotated|Unpack)$/;

/** Values of these kinds do not come as JSON: who calls a function with one has to make it first. */
export const MADE_OF_TEXT = /^(?:Path|PurePath|Decimal|UUID|datetime|date|time)$/;
