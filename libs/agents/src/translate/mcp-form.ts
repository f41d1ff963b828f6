import { isObject, type Json, type JsonObject, type JsonSchema } from '@errand/contracts';

/** The schema of a form of MCP: a flat object whose fields are texts, numbers, booleans or choices. */
export type McpForm = { type: 'object'; properties: JsonObject; required?: string[] };

/** A form for an answer, and how its content becomes the answer. */
export interface AnswerForm {
  requestedSchema: McpForm;
  toResult: (content: JsonObject) => Json;
}

/** The field of a form whose answer is not an object. */
const FIELD = 'result';
const MAX_SCHEMA_CHARS = 2_000;
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];
/** The keywords that a field of each type may have. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
};
const LABELS = ['title', 'description', 'default'];

/**
 * The form that asks for a value of this schema.
 * - A flat object has a field for each property. The content of the form is the answer.
 * - Without a schema, the form has one optional text field. Its content is the answer.
 * - A scalar is one field `result`.
 * - Any other value is one field `result` with JSON text.
 */
export function formOf(schema: JsonSchema | boolean | undefined): AnswerForm {
  if (!isObject(schema))
    return { requestedSchema: singleField({ type: 'string' }, false), toResult: (content) => content };
  const flat = flatObject(schema);
  if (flat) return { requestedSchema: flat, toResult: (content) => content };
  const scalar = fieldOf(schema);
  if (scalar) return { requestedSchema: singleField(scalar), toResult: (content) => content[FIELD] ?? null };
  const text = JSON.stringify(schema).slice(0, MAX_SCHEMA_CHARS);
  const description = `The answer as JSON. Its schema: ${text}`;
  return { requestedSchema: singleField({ type: 'string', description }), toResult: fromJsonText };
}

function singleField(field: JsonObject, isRequired = true): McpForm {
  return { type: 'object', properties: { [FIELD]: field }, ...(isRequired && { required: [FIELD] }) };
}

/** A text that cannot be parsed stays a text. The schema of the answer then refuses it, and it is asked for again. */
function fromJsonText(content: JsonObject): Json {
  const text = content[FIELD] ?? null;
  if (typeof text !== 'string') return text;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The form of an object schema whose properties are all fields; undefined for any other schema. */
function flatObject({ type, properties, required }: JsonSchema): McpForm | undefined {
  if (type !== 'object' || !isObject(properties)) return undefined;
  const fields: [string, JsonObject][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = isObject(property) ? fieldOf(property) : undefined;
    if (!field) return undefined;
    fields.push([name, field]);
  }
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return { type: 'object', properties: Object.fromEntries(fields), ...(names.length > 0 && { required: names }) };
}

/** A field with the keywords that forms have. The answer is checked against the whole schema in any case. */
function fieldOf(schema: JsonSchema): JsonObject | undefined {
  const type = typeOf(schema);
  if (type === undefined) return undefined;
  const choice = choiceOf(schema, type);
  if (type === 'array' && !choice) return undefined;
  const names = [...LABELS, ...(KEYWORDS[type] ?? [])];
  const kept = names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const]));
  const format = type === 'string' && FORMATS.includes(schema['format']) ? schema['format'] : undefined;
  return { type, ...Object.fromEntries(kept), ...(format !== undefined && { format }), ...choice };
}

/** The type of a field; undefined for a type that no field has. A choice between texts need not name its type. */
function typeOf({ type, enum: values, const: value, oneOf }: JsonSchema): string | undefined {
  const named = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (named === undefined && [values, oneOf, value].some((each) => each !== undefined)) return 'string';
  return typeof named === 'string' && Object.hasOwn(KEYWORDS, named) ? named : undefined;
}

/** The choices of a text field, or of a list of texts. */
function choiceOf(
  { enum: values, const: value, oneOf, enumNames, items }: JsonSchema,
  type: string,
): JsonObject | undefined {
  if (type === 'array') return isChoiceList(items) ? { items } : undefined;
  if (type !== 'string') return undefined;
  if (isTexts(values)) return { enum: values, ...(isTexts(enumNames) && { enumNames }) };
  if (typeof value === 'string') return { enum: [value] };
  return Array.isArray(oneOf) && oneOf.every(isTitled) ? { oneOf } : undefined;
}

function isChoiceList(items: Json | undefined): items is JsonObject {
  if (!isObject(items)) return false;
  return isTexts(items['enum']) || (Array.isArray(items['anyOf']) && items['anyOf'].every(isTitled));
}

function isTitled(option: Json): boolean {
  return isObject(option) && typeof option['const'] === 'string' && typeof option['title'] === 'string';
}

function isTexts(values: Json | undefined): values is string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
