import { isObject, type Json, type JsonObject, type JsonSchema, type ToolInterface } from '@errand/contracts';

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  duration: 'PT30M',
  email: 'ada@example.org',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.org/',
  url: 'https://example.org/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};
const MAX_NESTING = 8;

/** Sample arguments of a tool: those of its first example, else made-up values for the required parameters. */
export function sampleArguments({ examples, parameters }: Pick<ToolInterface, 'examples' | 'parameters'>): JsonObject {
  const [example] = examples ?? [];
  return example?.arguments ?? sampleObject(parameters, parameters, 0);
}

/** A sample value of a schema, such as the output of a tool. */
export function sampleValue(schema: JsonSchema): Json {
  return sampleOf(schema, schema, 'answer', 0);
}

function sampleObject(schema: JsonSchema, root: JsonSchema, depth: number): JsonObject {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(
    names.map((name) => [name, sampleOf(isObject(properties) ? properties[name] : true, root, name, depth + 1)]),
  );
}

function sampleOf(given: Json | undefined, root: JsonSchema, name: string, depth: number): Json {
  if (!isObject(given) || depth > MAX_NESTING) return `some ${name}`;
  const schema = settled(given, root, depth);
  for (const known of ['const', 'default'] as const) if (schema[known] !== undefined) return schema[known];
  for (const list of [schema.examples, schema.enum]) if (Array.isArray(list) && list.length > 0) return list[0]!;
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return sampleList(schema, root, name, depth);
    case 'object':
      return sampleObject(schema, root, depth);
    default:
      return isObject(schema.properties) ? sampleObject(schema, root, depth) : sampleText(schema, name);
  }
}

/** The type of a value. Among several types, text comes first, because values in a text block are text by default. */
function typeOf({ type }: JsonSchema): Json | undefined {
  if (!Array.isArray(type)) return type;
  return type.includes('string') ? 'string' : type.find((one) => one !== 'null');
}

/** Resolves local references, merges `allOf`, and selects one form of each choice: text if there is one, else the first. */
function settled(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  if (depth > MAX_NESTING) return schema;
  const parts: (Json | undefined)[] = Array.isArray(schema.allOf) ? [...schema.allOf] : [];
  if (typeof schema.$ref === 'string') parts.push(follow(schema.$ref, root));
  for (const choice of [schema.anyOf, schema.oneOf])
    if (Array.isArray(choice))
      parts.push(choice.find((part) => isObject(part) && typeOf(part) === 'string') ?? choice[0]);
  return Object.assign(
    {},
    ...parts.filter((part) => isObject(part)).map((part) => settled(part, root, depth + 1)),
    schema,
  ) as JsonSchema;
}

function follow(pointer: string, root: JsonSchema): Json | undefined {
  let found: Json | undefined = root;
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) ? found[name] : undefined;
  }
  return found;
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf, type }: JsonSchema): number {
  const step = typeof multipleOf === 'number' ? multipleOf : 1;
  if (typeof minimum === 'number') return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMinimum === 'number') return (Math.floor(exclusiveMinimum / step) + 1) * step;
  if (typeof maximum === 'number') return Math.min(step, Math.floor(maximum / step) * step);
  return type === 'integer' ? Math.ceil(step) : step;
}

function sampleList({ items, minItems }: JsonSchema, root: JsonSchema, name: string, depth: number): Json[] {
  const count = typeof minItems === 'number' ? Math.max(1, minItems) : 1;
  return Array.from({ length: count }, (_item, index) => {
    const item = sampleOf(items, root, name, depth + 1);
    return typeof item === 'string' && count > 1 ? `${item} ${index + 1}` : item;
  });
}

function sampleText({ format, minLength, maxLength }: JsonSchema, name: string): string {
  const text = (typeof format === 'string' ? FORMATS[format] : undefined) ?? `some ${name}`;
  const least = typeof minLength === 'number' ? text.padEnd(minLength, '.') : text;
  return typeof maxLength === 'number' ? least.slice(0, maxLength) : least;
}
