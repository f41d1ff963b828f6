import { isObject, type Json, type JsonSchema, type ToolInterface } from '@errand/contracts';
import { shapeOf } from '../values/shape-of.js';
import { shownText } from './shown-text.js';

const MAX_NESTING = 3;

/** How much text of a tool is shown: all, only its first sentence, or none. */
export type Wording = 'full' | 'short' | 'none';

/** Describes a tool for a model: id, description, and one line for each parameter. */
export function describeTool({ toolId, description, parameters, deprecated }: ToolInterface, wording: Wording): string {
  const title = `### ${shownText(toolId)}${deprecated ? ' (deprecated)' : ''}`;
  const shape = shapeOf(parameters, parameters);
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const lines = shape.names.map((name) =>
    describeParameter(name, shape.property(name), required.includes(name), parameters, wording),
  );
  lines.push(...describeOthers(parameters, wording));
  const words = wording === 'none' ? [] : [shownText(wording === 'full' ? description : firstSentence(description))];
  return [title, ...words.filter((line) => line !== ''), ...(lines.length > 0 ? lines : ['No parameters.'])].join('\n');
}

/** The line for parameters of any name, of a tool that takes them. */
function describeOthers(parameters: JsonSchema, wording: Wording): string[] {
  const { additionalProperties: others } = parameters;
  if (others !== true && !isObject(others)) return [];
  const description = isObject(others) ? others.description : undefined;
  const words = wording === 'full' && typeof description === 'string' ? `: ${shownText(description)}` : '';
  return [`- any other name (${describeType(others, parameters)}; optional)${words}`];
}

function describeParameter(
  name: string,
  schema: Json | undefined,
  isRequired: boolean,
  root: JsonSchema,
  wording: Wording,
): string {
  const facts = [describeType(schema, root), isRequired ? 'required' : 'optional'];
  const { enum: allowed, default: fallback, description } = isObject(schema) ? schema : {};
  if (Array.isArray(allowed))
    facts.push(`one of ${allowed.map((value) => shownText(JSON.stringify(value))).join(', ')}`);
  if (fallback !== undefined) facts.push(`default ${shownText(JSON.stringify(fallback))}`);
  const words = wording === 'full' && typeof description === 'string' ? `: ${shownText(description)}` : '';
  return `- ${shownText(name)} (${facts.join('; ')})${words}`;
}

/**
 * The type of a value in words: `string`, `array of integer`, `object {name: string, size?: integer}`. References are
 * resolved against `root`.
 */
export function describeType(schema: Json | undefined, root: JsonSchema, depth = 0): string {
  const shape = shapeOf(schema, root);
  if (!shape.types) return 'any';
  const names = [...shape.types].map((type) => {
    if (depth >= MAX_NESTING) return type;
    if (type === 'array') return `array of ${describeType(shape.item(0), root, depth + 1)}`;
    if (type !== 'object' || shape.names.length === 0) return type;
    const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
    const properties = shape.names.map((name) => {
      const mark = required.includes(name) ? '' : '?';
      return `${shownText(name)}${mark}: ${describeType(shape.property(name), root, depth + 1)}`;
    });
    return `object {${properties.join(', ')}}`;
  });
  return names.join(' or ');
}

function firstSentence(text: string): string {
  const line = shownText(text);
  const sentence = /^.{1,119}?[.!?。](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length > 120 ? `${sentence.slice(0, 119)}…` : sentence;
}
