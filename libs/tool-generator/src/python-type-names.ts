import type { JsonSchema } from '@errand/contracts';

const TEXT = { type: 'string' };

/** The schemas of types that are known by name, also in docstrings. */
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

/** Types that contain other types. */
export const LISTS = /^(?:list|List|Sequence|MutableSequence|Iterable|Iterator|Collection|deque|array)$/;
export const SETS = /^(?:set|Set|frozenset|FrozenSet|AbstractSet)$/;
export const TUPLES = /^(?:tuple|Tuple)$/;
export const DICTIONARIES = /^(?:dict|Dict|Mapping|MutableMapping|OrderedDict|defaultdict|DefaultDict|Counter)$/;

/** Types that stand for the type that they contain. */
export const TRANSPARENT = /^(?:Required|NotRequired|ReadOnly|Final|ClassVar|Annotated|Unpack)$/;

/** Types without a form in JSON. The caller of a function has to make their values. */
export const MADE_OF_TEXT = /^(?:Path|PurePath|Decimal|UUID|datetime|date|time)$/;
