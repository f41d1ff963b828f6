import type { Signature } from './script-analysis.js';

/** A function to call, and its script. */
interface AdapterTarget {
  /** The file name of the script. */
  file: string;
  toolId: string;
  signature: Signature;
  needsMaking: boolean;
}

const made = ({ toolId, file, signature }: AdapterTarget) =>
  `Made by \`./errand tools draft\`: the tool ${toolId} calls ${signature.name} of ${file} with its arguments.`;

/**
 * A Python script that reads the arguments, calls the function and prints its result. Output of the function goes to
 * the log.
 */
export function pythonAdapter(called: AdapterTarget): string {
  const { file, signature, needsMaking } = called;
  const { name, isAsync, isGenerator } = signature;
  const imports = ['contextlib', 'json', 'sys', ...(isAsync ? ['asyncio'] : []), ...(needsMaking ? MADE_WITH : [])];
  const module = file.replace(/\.py$/, '');
  const isName = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(module);
  if (!isName) imports.push('importlib');
  const call = `called(${pythonArguments(signature)})`;
  const result = isGenerator ? (isAsync ? `[item async for item in ${call}]` : `list(${call})`) : call;
  return [
    `"""${made(called)}"""`,
    '',
    ...imports.toSorted().map((needed) => `import ${needed}`),
    '',
    ...(needsMaking ? ['', MAKING, ''] : []),
    'arguments = json.load(sys.stdin)',
    'with contextlib.redirect_stdout(sys.stderr):  # only the result goes to standard output',
    isName
      ? `    from ${module} import ${name} as called`
      : `    called = importlib.import_module(${JSON.stringify(module)}).${name}`,
    ...(needsMaking ? ['', `    hints = hints_of(called)`, ...makingOf(signature)] : []),
    ...pythonPositions(signature),
    ...(isAsync && isGenerator ? ['', '    async def collect():', `        return ${result}`, ''] : []),
    `    result = ${isAsync ? `asyncio.run(${isGenerator ? 'collect()' : call})` : result}`,
    `json.dump(result, sys.stdout${needsMaking ? ', default=plain' : ''})`,
    '',
  ].join('\n');
}

function pythonArguments({ positions, rest }: Signature): string {
  return [...(positions.length > 0 || rest !== undefined ? ['*positional'] : []), '**arguments'].join(', ');
}

function pythonPositions({ positions, rest }: Signature): string[] {
  if (positions.length === 0 && rest === undefined) return [];
  const names = positions.map((name) => JSON.stringify(name)).join(', ');
  const first = positions.length > 0 ? `[arguments.pop(name) for name in [${names}] if name in arguments]` : '';
  const more = rest === undefined ? '' : `arguments.pop(${JSON.stringify(rest)}, [])`;
  return [`    positional = ${[first, more].filter(Boolean).join(' + ')}`];
}

/** Each element of `*args` has the type of the hint. */
function makingOf({ rest }: Signature): string[] {
  const hint =
    rest === undefined
      ? 'hints.get(name)'
      : `list[hints[name]] if name == ${JSON.stringify(rest)} and name in hints else hints.get(name)`;
  return [`    arguments = {name: make(value, ${hint}) for name, value in arguments.items()}`];
}

const MADE_WITH = ['dataclasses', 'datetime', 'decimal', 'enum', 'pathlib', 'types', 'typing', 'uuid'];

const MAKING = `def hints_of(described):
    """The type hints; without string hints if some of them exist only for type checkers."""
    with contextlib.suppress(NameError):
        return typing.get_type_hints(described)
    return {name: hint for name, hint in described.__annotations__.items() if not isinstance(hint, str)}


def make(value, hint):
    """Make the value that the type hint asks for: JSON has no dates, paths, sets and classes."""
    kind, parts = typing.get_origin(hint), typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return make_one_of(value, parts)
    if isinstance(value, list):
        return make_list(value, kind or hint, parts)
    if isinstance(value, dict):
        return make_object(value, hint, parts)
    if not isinstance(hint, type):
        return value
    if hint in (datetime.datetime, datetime.date, datetime.time):
        return hint.fromisoformat(value)
    if issubclass(hint, (pathlib.PurePath, decimal.Decimal, uuid.UUID)):
        return hint(str(value))
    return hint(value) if issubclass(hint, enum.Enum) else value


def make_one_of(value, hints):
    for hint in hints:
        if (value is None) == (hint is type(None)):
            with contextlib.suppress(TypeError, ValueError):
                return make(value, hint)
    return value


def make_list(values, kind, parts):
    each = parts if len(parts) > 1 and parts[-1] is not Ellipsis else [parts[0] if parts else None] * len(values)
    made = [make(value, hint) for value, hint in zip(values, each)]
    return kind(made) if kind in (set, frozenset, tuple) else made


def make_object(value, hint, parts):
    if not isinstance(hint, type) or hint is dict:
        return {key: make(item, parts[1] if len(parts) > 1 else None) for key, item in value.items()}
    hints = hints_of(hint)
    fields = {key: make(item, hints.get(key)) for key, item in value.items()}
    return fields if typing.is_typeddict(hint) else hint(**fields)


def plain(value):
    """Convert a value that the json module does not support."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (pathlib.PurePath, uuid.UUID)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return float(value)
    raise TypeError(f"the result holds a {type(value).__name__}, which is not JSON")
`;

/**
 * A TypeScript or JavaScript script that reads the arguments, calls the function and prints its result. Output of the
 * function goes to the log.
 */
export function bunAdapter(called: AdapterTarget): string {
  const { file, signature } = called;
  const { name, isDefault, isGenerator } = signature;
  const exported = isDefault ? 'default' : name;
  const call = `script.${exported}(${bunArguments(signature)})`;
  const annotation = file.endsWith('.ts') ? ': any' : '';
  return [
    `// ${made(called)}`,
    '',
    'for (const method of ["log", "info", "debug"]) console[method] = console.error; // only the result goes to standard output'.replaceAll(
      '"',
      "'",
    ),
    `const script = await import('./${file}');`,
    `const input${annotation} = await Bun.stdin.json();`,
    isGenerator
      ? `const result${annotation} = [];\nfor await (const item of ${call}) result.push(item);`
      : `const result${annotation} = await ${call};`,
    'process.stdout.write(JSON.stringify(result ?? null));',
    '',
  ].join('\n');
}

function bunArguments({ takesObject, positions, rest }: Signature): string {
  if (takesObject) return 'input';
  const names = positions.map((name) => `input.${name}`);
  return [...names, ...(rest === undefined ? [] : [`...(input.${rest} ?? [])`])].join(', ');
}
