import type { Json, JsonSchema } from '@errand/contracts';
import { parser } from '@lezer/python';
import { describe, enumOf, nullable, objectOf, union, withDefault, type Parameter } from './script-analysis.js';
import { aliased, decoratorsOf, defaultOf, describedBy, docOfBody, limitsOf } from './python-declarations.js';
import { readDoc } from './read-doc.js';
import { betweenCommas, SourceNode } from './source-node.js';
import { DICTIONARIES, LISTS, MADE_OF_TEXT, PLAIN, SETS, TRANSPARENT, TUPLES } from './python-type-names.js';
import { stringOf, valueOf } from './python-values.js';

const MAX_NESTING = 4;

/** Reads the types of one Python file, with the classes and aliases that it declares itself. */
export class PythonTypes {
  readonly notes: string[] = [];
  /** Whether one of the types is not plain JSON, so that its values must be made from it. */
  needsMaking = false;
  private readonly classes = new Map<string, SourceNode>();
  private readonly aliases = new Map<string, SourceNode>();

  constructor(root: SourceNode) {
    for (const statement of root.below('ClassDefinition', 'AssignStatement')) {
      const [first, second, third] = statement.children();
      if (statement.kind === 'ClassDefinition')
        this.classes.set(statement.child('VariableName')?.text ?? '', statement);
      else if (
        first?.kind === 'VariableName' &&
        second?.kind === 'AssignOp' &&
        third &&
        statement.parent()?.kind === 'Script'
      )
        this.aliases.set(first.text, third);
    }
  }

  /** The schema of a type in a docstring or a quoted annotation: `int`, `list of str`, `Optional[X]`, `{'a', 'b'}`. */
  ofText(text: string, depth = 0): JsonSchema {
    const choice = /^\{(.*)\}$/s.exec(text.trim());
    const python = (choice ? `Literal[${choice[1]}]` : text)
      .replace(
        /\b(list|tuple|set|sequence|iterable|array)s? of (\w+?)s?\b(?!\w)/gi,
        (_all, outer, inner) => `${String(outer).toLowerCase()}[${String(inner)}]`,
      )
      .replace(/\s+or\s+/g, ' | ');
    const source = `_: ${python}`;
    const type = new SourceNode(parser.parse(source).topNode, source).child('AssignStatement')?.child('TypeDef');
    return type ? this.of(type.children()[1], depth) : {};
  }

  /** The schema of a type. A type that is not understood allows any value, and adds a note. */
  of(type: SourceNode | undefined, depth = 0): JsonSchema {
    if (!type) return {};
    switch (type.kind) {
      case 'None':
        return { type: 'null' };
      case 'String':
        return this.ofText(stringOf(type) ?? '', depth);
      case 'BinaryExpression':
        return union([type.children()[0], type.children()[2]].map((part) => this.of(part, depth)));
      case 'ParenthesizedExpression':
        return this.of(type.children()[1], depth);
      case 'VariableName':
        return this.named(type.text, depth);
      case 'MemberExpression':
        return type.child('[') ? this.generic(type, depth) : this.named(type.child('PropertyName')?.text ?? '', depth);
      default:
        return this.unknown(type.text);
    }
  }

  /** Whether the file declares a class with that name. */
  declares(name: string): boolean {
    return this.classes.has(name);
  }

  /** The value of a default: a literal, a constant of the file, or a member of one of its enums (`Color.RED`). */
  valueOf(expression: SourceNode | undefined): Json | undefined {
    const [, name = '', member] = /^(\w+)(?:\.(\w+))?$/.exec(expression?.text ?? '') ?? [];
    const members = member === undefined ? [] : (this.classes.get(name)?.child('Body')?.all('AssignStatement') ?? []);
    const meant = members
      .find((statement) => statement.child('VariableName')?.text === member)
      ?.children()
      .at(-1);
    return valueOf(meant ?? this.aliases.get(expression?.text ?? '') ?? expression);
  }

  private named(name: string, depth: number): JsonSchema {
    const declared = this.classes.get(name);
    if (declared) return depth < MAX_NESTING ? this.ofClass(name, declared, depth) : { type: 'object' };
    const alias = this.aliases.get(name);
    if (alias && depth < MAX_NESTING) return this.of(aliased(alias), depth + 1);
    if (MADE_OF_TEXT.test(name)) this.needsMaking = true;
    if (Object.hasOwn(PLAIN, name)) return { ...PLAIN[name] };
    if (LISTS.test(name) || TUPLES.test(name)) return { type: 'array' };
    if (SETS.test(name)) return this.set({});
    if (DICTIONARIES.test(name)) return { type: 'object', additionalProperties: true };
    return this.unknown(name);
  }

  private generic(type: SourceNode, depth: number): JsonSchema {
    const [head] = type.children();
    const name = (head?.kind === 'MemberExpression' ? head.child('PropertyName') : head)?.text ?? '';
    const parts = this.argumentsOf(type);
    const each = () => parts.map((part) => this.of(part, depth));
    if (name === 'Optional') return nullable(this.of(parts[0], depth));
    if (name === 'Union') return union(each());
    if (name === 'Literal') return this.literal(parts);
    if (TRANSPARENT.test(name)) return { ...this.of(parts[0], depth), ...this.annotated(name, parts) };
    if (LISTS.test(name)) return { type: 'array', items: this.of(parts[0], depth) };
    if (SETS.test(name)) return this.set(this.of(parts[0], depth));
    if (TUPLES.test(name)) return this.tuple(parts, depth);
    if (DICTIONARIES.test(name)) {
      const values = this.of(parts[1], depth);
      return { type: 'object', additionalProperties: Object.keys(values).length > 0 ? values : true };
    }
    return this.unknown(type.text);
  }

  private argumentsOf(type: SourceNode): SourceNode[] {
    const open = type.children().findIndex(({ kind }) => kind === '[');
    const inside = type
      .children()
      .slice(open + 1, -1)
      .filter(({ kind }) => kind !== ',' && kind !== 'Comment');
    const [only] = inside;
    return inside.length === 1 && only?.kind === 'TupleExpression' ? betweenCommas(only).map(([part]) => part) : inside;
  }

  private set(items: JsonSchema): JsonSchema {
    this.needsMaking = true;
    return { type: 'array', items, uniqueItems: true };
  }

  /** The schema of `tuple[int, str]`, and of `tuple[int, ...]` with any length. */
  private tuple(parts: readonly SourceNode[], depth: number): JsonSchema {
    if (parts.at(-1)?.text === '...') return { type: 'array', items: this.of(parts[0], depth) };
    const prefixItems = parts.map((part) => this.of(part, depth));
    return { type: 'array', prefixItems, items: false, minItems: parts.length };
  }

  private literal(parts: readonly SourceNode[]): JsonSchema {
    const values = parts.map(valueOf).filter((value) => value !== undefined);
    return values.length === parts.length ? enumOf(values) : this.unknown('Literal');
  }

  /** The limits in `Annotated[int, "how many"]` and in pydantic's `Field(description=…, ge=1)`. */
  private annotated(name: string, [, ...more]: readonly SourceNode[]): JsonSchema {
    if (name !== 'Annotated') return {};
    return Object.assign(
      {},
      ...more.map((part) => (part.kind === 'CallExpression' ? limitsOf(part) : describedBy(part))),
    ) as JsonSchema;
  }

  private ofClass(name: string, declared: SourceNode, depth: number): JsonSchema {
    const bases = (declared.child('ArgList')?.children() ?? []).map(({ text }) => text.replace(/^.*\./, ''));
    const body = declared.child('Body');
    if (!body) return this.unknown(name);
    if (bases.some((base) => /^(?:Enum|IntEnum|StrEnum)$/.test(base))) {
      this.needsMaking = true;
      return this.ofEnum(body);
    }
    const isDict = bases.includes('TypedDict') || bases.some((base) => this.isTypedDict(base));
    const isData =
      /@(?:\w+\.)?dataclass\b/.test(decoratorsOf(declared)) ||
      bases.some((base) => /^(?:NamedTuple|BaseModel)$/.test(base));
    if (!isDict && !isData) return this.unknown(name);
    if (!isDict) this.needsMaking = true;
    const parents = bases.flatMap((base) => (this.classes.has(base) ? [this.named(base, depth + 1)] : []));
    const own = this.fieldsOf(
      body,
      isDict && /total\s*=\s*False/.test(declared.child('ArgList')?.text ?? ''),
      isDict,
      depth + 1,
    );
    return joined([...parents, objectOf({ parameters: own, open: false })], docOfBody(body));
  }

  private isTypedDict(name: string): boolean {
    return this.classes.get(name)?.child('ArgList')?.text.includes('TypedDict') ?? false;
  }

  private ofEnum(body: SourceNode): JsonSchema {
    const values = body.all('AssignStatement').map((statement) => valueOf(statement.children().at(-1)));
    return enumOf(values.filter((value): value is Json => value !== undefined));
  }

  private fieldsOf(body: SourceNode, allOptional: boolean, isDict: boolean, depth: number): Parameter[] {
    const words = readDoc(docOfBody(body) ?? '').parameters;
    return body.all('AssignStatement').flatMap((statement): Parameter[] => {
      const name = statement.child('VariableName')?.text;
      const type = statement.child('TypeDef')?.children()[1];
      if (name === undefined || !type || /^(?:\w+\.)?(?:ClassVar|KW_ONLY)\b/.test(type.text)) return [];
      const given = statement.child('AssignOp') ? statement.children().at(-1) : undefined;
      if (given && /\binit\s*=\s*False/.test(given.text)) return [];
      const fallback = given && (defaultOf(given) ?? this.valueOf(given));
      const isOptional = isDict
        ? /^(?:\w+\.)?NotRequired\b/.test(type.text) || (allOptional && !/^(?:\w+\.)?Required\b/.test(type.text))
        : given !== undefined && !/^Field\(\s*\.\.\./.test(given.text);
      const next = statement.next();
      const after = next?.kind === 'ExpressionStatement' ? next.child('String') : undefined;
      const description = (after && stringOf(after)) ?? words.get(name)?.description;
      const schema = { ...this.of(type, depth), ...(given?.kind === 'CallExpression' && limitsOf(given)) };
      return [{ name, required: !isOptional, schema: describe(withDefault(schema, fallback), description) }];
    });
  }

  private unknown(what: string): JsonSchema {
    this.notes.push(`the type ${what.replace(/\s+/g, ' ')} is not understood; it allows any value`);
    return {};
  }
}

function joined(objects: readonly JsonSchema[], doc: string | undefined): JsonSchema {
  const required = objects.flatMap((object) => (object.required as Json[] | undefined) ?? []);
  const properties = Object.assign({}, ...objects.map((object) => object.properties)) as JsonSchema;
  const words = doc === undefined ? undefined : readDoc(doc).description;
  return describe(
    { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    words,
  );
}
