import { isObject, type JsonSchema } from '@errand/contracts';
import type { Doc } from './read-doc.js';
import { nullable, typeOfValue, type Arguments, type Parameter, type Signature } from './script-analysis.js';
import { betweenCommas, type ListElement, type SourceNode } from './source-node.js';
import { nameOf, type TypeScriptTypes } from './typescript-types.js';
import { valueOf } from './typescript-values.js';

/** The parameters of a function. */
export function parametersOf(
  definition: SourceNode,
  doc: Doc,
  types: TypeScriptTypes,
): Pick<Signature, 'parameters' | 'open' | 'positions' | 'rest' | 'takesObject'> {
  const list = definition.child('ParamList');
  const alone = definition.child('VariableDefinition');
  const parts: ListElement[] = list ? betweenCommas(list) : alone ? [[alone]] : [];
  const given = parts.filter(([first]) => first.text !== 'this');
  const [only] = given;
  const whole = only && given.length === 1 ? wholeOf(only, doc, types) : undefined;
  if (whole) return { ...whole, positions: [], takesObject: true };
  const parameters = given.map((part) => parameterOf(part, doc, types));
  const rest = given.at(-1)?.[0]?.kind === 'Spread' ? parameters.at(-1)?.name : undefined;
  const positions = parameters.map(({ name }) => name).filter((name) => name !== rest);
  return { parameters, open: false, positions, takesObject: false, ...(rest !== undefined && { rest }) };
}

/** The properties of a single object parameter: `({ text, top = 5 }: Options)`, `(options: Options)`. */
function wholeOf(part: ListElement, doc: Doc, types: TypeScriptTypes): Arguments | undefined {
  const pattern = part[0]?.kind === 'ObjectPattern' ? part[0] : undefined;
  const name = pattern ? undefined : part[0]?.text;
  const annotation = part.find(({ kind }) => kind === 'TypeAnnotation')?.children()[1];
  const nested = [...doc.parameters].filter(([path]) =>
    name === undefined ? /^\w+\.\w+$/.test(path) : path.startsWith(`${name}.`),
  );
  const schema = annotation ? types.of(annotation) : {};
  const isObjectType =
    schema.type === 'object' && isObject(schema.properties) && Object.keys(schema.properties).length > 0;
  if (!pattern && !isObjectType && nested.length === 0) return undefined;
  const found = new Map<string, Parameter>();
  for (const [path, words] of nested) {
    const [, key = ''] = path.split('.');
    found.set(key, {
      name: key,
      required: !words.optional,
      schema: { ...(words.type !== undefined && types.ofText(words.type)), description: words.description },
    });
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [key, value] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    found.set(key, {
      name: key,
      required: required.includes(key),
      schema: { ...found.get(key)?.schema, ...(value as JsonSchema) },
    });
  for (const property of pattern?.all('PatternProperty') ?? []) takeProperty(property, found, doc);
  return {
    parameters: [...found.values()],
    open: schema.additionalProperties !== undefined && schema.additionalProperties !== false,
  };
}

/** Adds a property of an object pattern, with its default. */
export function takeProperty(property: SourceNode, found: Map<string, Parameter>, doc?: Doc): void {
  const key = nameOf(property);
  const pieces = property.children();
  const at = pieces.findIndex(({ kind }) => kind === 'Equals');
  const fallback = at === -1 ? undefined : valueOf(pieces[at + 1]);
  const known = found.get(key) ?? {
    name: key,
    required: true,
    schema: withWords({}, doc?.parameters.get(key)?.description),
  };
  found.set(key, at === -1 ? known : { ...known, required: false, schema: withFallback(known.schema, fallback) });
}

function parameterOf(part: ListElement, doc: Doc, types: TypeScriptTypes): Parameter {
  const isRest = part[0].kind === 'Spread';
  const name = (part.find(({ kind }) => kind === 'VariableDefinition') ?? part[0]).text;
  const words = doc.parameters.get(name);
  const annotation = part.find(({ kind }) => kind === 'TypeAnnotation')?.children()[1];
  const at = part.findIndex(({ kind }) => kind === 'Equals');
  const declared = annotation ? types.of(annotation) : words?.type === undefined ? {} : types.ofText(words.type);
  const schema = at === -1 ? declared : withFallback(declared, valueOf(part[at + 1]));
  const optional = isRest || at !== -1 || part.some(({ kind }) => kind === 'Optional') || words?.optional === true;
  return {
    name,
    required: !optional,
    schema: withWords(
      isRest && declared.type !== 'array' ? { type: 'array', items: schema } : schema,
      words?.description,
    ),
  };
}

function withFallback(schema: JsonSchema, fallback: ReturnType<typeof valueOf>): JsonSchema {
  if (fallback === undefined) return schema;
  if (fallback === null) return nullable(schema);
  return { ...(Object.keys(schema).length === 0 ? { type: typeOfValue(fallback) } : schema), default: fallback };
}

function withWords(schema: JsonSchema, words: string | undefined): JsonSchema {
  return words === undefined || words === '' ? schema : { ...schema, description: words };
}
