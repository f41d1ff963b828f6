import { own, type Json, type JsonSchema } from '@errand/contracts';
import { parser as anyDialect } from '@lezer/javascript';
import { enumOf, objectOf, union, type Parameter } from './script-analysis.js';
import { readDoc } from './read-doc.js';
import { betweenCommas, SourceNode } from './source-node.js';
import { valueOf } from './typescript-values.js';

export const parser = anyDialect.configure({ dialect: 'ts' });

const PLAIN: Readonly<Record<string, JsonSchema>> = {
  string: { type: 'string' },
  String: { type: 'string' },
  number: { type: 'number' },
  Number: { type: 'number' },
  integer: { type: 'integer' },
  int: { type: 'integer' },
  boolean: { type: 'boolean' },
  Boolean: { type: 'boolean' },
  null: { type: 'null' },
  undefined: { type: 'null' },
  any: {},
  unknown: {},
  object: { type: 'object', additionalProperties: true },
  Object: { type: 'object', additionalProperties: true },
  Array: { type: 'array' },
  array: { type: 'array' },
};
const MAX_NESTING = 4;

/** Reads the types of one TypeScript or JavaScript file, with the interfaces, aliases and enums that it declares itself. */
export class TypeScriptTypes {
  readonly notes: string[] = [];
  private readonly declared = new Map<string, SourceNode>();

  constructor(root: SourceNode) {
    for (const node of root.below('InterfaceDeclaration', 'TypeAliasDeclaration', 'EnumDeclaration'))
      this.declared.set(node.child('TypeDefinition')?.text ?? '', node);
  }

  /**
   * The schema of a JSDoc type: `string[]`, `?number`, `Object<string, number>`, `'a'
   * 'b'`, `*`.
   */
  ofText(text: string, depth = 0): JsonSchema {
    const type = text
      .trim()
      .replace(/^\?(.+)$/, '$1 | null')
      .replace(/^!/, '')
      .replace(/^\*$/, 'any')
      .replaceAll(/\bObject\.?</g, 'Record<')
      .replaceAll('.<', '<')
      .replace(/^\.\.\.(.+)$/, '$1[]');
    const source = `let _: ${type};`;
    const root = new SourceNode(parser.parse(source).topNode, source);
    return this.of(root.child('VariableDeclaration')?.child('TypeAnnotation')?.children()[1], depth);
  }

  /** The schema of a type. A type that is not understood allows any value, and adds a note. */
  of(type: SourceNode | undefined, depth = 0): JsonSchema {
    if (!type) return {};
    switch (type.kind) {
      case 'TypeName':
        return this.named(type.text, depth);
      case 'LiteralType':
        return this.literal(type);
      case 'NullType':
      case 'VoidType':
        return { type: 'null' };
      case 'UnionType':
        return union(withoutOperators(type).map((part) => this.of(part, depth)));
      case 'IntersectionType':
        return joined(withoutOperators(type).map((part) => this.of(part, depth)));
      case 'ArrayType':
        return { type: 'array', items: this.of(type.children()[0], depth) };
      case 'TupleType':
        return this.tuple(betweenCommas(type).map(([part]) => this.of(part, depth)));
      case 'ParenthesizedType':
        return this.of(type.children()[1], depth);
      case 'ReadonlyType':
        return this.of(type.children().at(-1), depth);
      case 'ObjectType':
        return this.object(type, depth);
      case 'ParameterizedType':
        return this.generic(type, depth);
      default:
        return this.unknown(type.text);
    }
  }

  private named(name: string, depth: number): JsonSchema {
    const declared = this.declared.get(name);
    if (declared) return depth < MAX_NESTING ? this.ofDeclaration(declared, depth + 1) : {};
    if (name === 'Date') {
      this.notes.push('a Date arrives as text (date-time): convert it with new Date(…)');
      return { type: 'string', format: 'date-time' };
    }
    const plain = own(PLAIN, name);
    return plain ? { ...plain } : this.unknown(name);
  }

  private generic(type: SourceNode, depth: number): JsonSchema {
    const name = type.firstText;
    const parts = betweenCommas(type.child('TypeArgList')).map(([part]) => part);
    const first = () => this.of(parts[0], depth);
    if (/^(?:Array|ReadonlyArray|Iterable|AsyncIterable)$/.test(name)) return { type: 'array', items: first() };
    if (/^(?:Promise|Readonly|Required|NonNullable|Awaited)$/.test(name)) return first();
    if (name === 'Partial') {
      const { required: _required, ...whole } = first();
      return whole;
    }
    if (name === 'Record') {
      const values = this.of(parts[1], depth);
      return { type: 'object', additionalProperties: Object.keys(values).length > 0 ? values : true };
    }
    return this.unknown(type.text);
  }

  private literal(type: SourceNode): JsonSchema {
    const value = valueOf(type.child('ArithOp') ? type : type.children()[0]);
    return value === undefined ? this.unknown(type.text) : enumOf([value]);
  }

  private tuple(items: JsonSchema[]): JsonSchema {
    return { type: 'array', prefixItems: items, items: false, minItems: items.length };
  }

  private ofDeclaration(declared: SourceNode, depth: number): JsonSchema {
    if (declared.kind === 'EnumDeclaration') return this.ofEnum(declared.child('EnumBody'));
    if (declared.kind === 'TypeAliasDeclaration') {
      const after = declared.children().findIndex(({ kind }) => kind === 'Equals');
      return this.of(declared.children()[after + 1], depth);
    }
    const parents = declared.all('TypeName').map(({ text }) => this.named(text, depth));
    return joined([...parents, this.object(declared.child('ObjectType'), depth)]);
  }

  private ofEnum(body: SourceNode | undefined): JsonSchema {
    let next = 0;
    const values = betweenCommas(body).map(([, operator, given]): Json => {
      const value = operator?.kind === 'Equals' ? (valueOf(given) ?? next) : next;
      if (typeof value === 'number') next = value + 1;
      return value;
    });
    return enumOf(values);
  }

  private object(type: SourceNode | undefined, depth: number): JsonSchema {
    const parameters = (type?.all('PropertyType') ?? []).map((property): Parameter => {
      const name = nameOf(property);
      const schema = this.of(property.child('TypeAnnotation')?.children()[1], depth);
      const words = commentOf(property);
      return {
        name,
        required: !property.child('Optional'),
        schema: { ...schema, ...(words !== '' && { description: words }) },
      };
    });
    const others = type?.child('IndexSignature')?.all('TypeAnnotation').at(-1)?.children()[1];
    const whole = objectOf({ parameters, open: others !== undefined });
    const values = others ? this.of(others, depth) : {};
    return Object.keys(values).length > 0 ? { ...whole, additionalProperties: values } : whole;
  }

  private unknown(what: string): JsonSchema {
    this.notes.push(`the type ${what.replace(/\s+/g, ' ')} is not understood; it allows any value`);
    return {};
  }
}

/** The comment of a property: JSDoc or `//` right before it, else `//` at the end of its line. */
function commentOf(property: SourceNode): string {
  const next = beyond(property, 'next');
  const behind = next?.kind === 'LineComment' && next.isBeside(property) ? wordsOfLine(next) : '';
  return readDoc(docBefore(property) ?? behind).description;
}

/** The text of the JSDoc comment right before a node. Before a property, a line comment counts as well. */
export function docBefore(node: SourceNode): string | undefined {
  const before = beyond(node, 'previous');
  if (before?.kind === 'BlockComment' && before.text.startsWith('/**')) return withoutStars(before.text);
  if (before?.kind !== 'LineComment' || node.kind !== 'PropertyType') return undefined;
  const owner = beyond(before, 'previous');
  return owner?.kind === 'PropertyType' && before.isBeside(owner) ? undefined : wordsOfLine(before);
}

/** The neighbour on one side, without `;` and `,`. */
function beyond(node: SourceNode, side: 'next' | 'previous'): SourceNode | undefined {
  let found = node[side]();
  while (found && [';', ','].includes(found.kind)) found = found[side]();
  return found;
}

function wordsOfLine({ text }: SourceNode): string {
  return text.replace(/^\/\/+\s*/, '');
}

/** The text of a block comment without its stars. */
export function withoutStars(comment: string): string {
  return comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join('\n');
}

/** The name of a property, quoted or not. */
export function nameOf(property: SourceNode): string {
  const name = property.child('PropertyDefinition', 'String', 'PropertyName', 'VariableDefinition', 'Number');
  const value = name?.kind === 'String' ? valueOf(name) : undefined;
  return typeof value === 'string' ? value : (name?.text ?? '');
}

function withoutOperators(type: SourceNode): SourceNode[] {
  return type.children().filter(({ kind }) => kind !== 'LogicOp' && kind !== 'LineComment' && kind !== 'BlockComment');
}

function joined(objects: readonly JsonSchema[]): JsonSchema {
  const required = objects.flatMap((object) => (object.required as Json[] | undefined) ?? []);
  return {
    type: 'object',
    properties: Object.assign({}, ...objects.map((object) => object.properties ?? {})) as JsonSchema,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    additionalProperties: objects.some(({ additionalProperties }) => additionalProperties !== false),
  };
}
