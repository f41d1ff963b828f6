import type { ToolLookup, ToolInterface } from '@errand/contracts';
import { skipBlanks } from '../blanks.js';
import { shapeOf } from '../values/shape-of.js';
import { inputName } from './read-attributes.js';
import { cdataOpenerAt, holdsCdata } from './read-cdata.js';
import type { Element } from './element.js';
import { MarkupError } from './markup.js';
import { readMarkup } from './read-markup.js';

/**
 * Reads a body that does not parse a second time. Direct parameters whose schema says `string`, and that do not begin
 * with CDATA, are taken as text up to their first end tag. Returns undefined if this fails too. It also does if more
 * than one reading is possible: a string would contain another parameter of the tool or CDATA.
 */
export function readRawStrings(text: string, inner: number, innerEnd: number, tools: ToolLookup): Element | undefined {
  const idOfFormB = onlyToolId(text.slice(inner, innerEnd));
  const raw: { element: Element; names: readonly string[] }[] = [];
  const takesRaw = (element: Element, around: readonly Element[]): boolean => {
    const parameter = parameterAt(element, around, idOfFormB);
    const tool = parameter && tools.find(parameter.toolId);
    if (!tool || !isStringParameter(tool, parameter.name) || startsWithCdata(text, element)) return false;
    raw.push({ element, names: shapeOf(tool.parameters, tool.parameters).names });
    return true;
  };
  try {
    const root = readMarkup(text, inner, innerEnd, takesRaw);
    const ambiguous = raw.some(({ element, names }) => {
      const value = text.slice(element.inner, element.innerEnd);
      return swallows(value, element, names) || holdsCdata(value);
    });
    return ambiguous ? undefined : root;
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
}

/** The tool of a body in form B. Its inputs may come first. */
function onlyToolId(body: string): string | undefined {
  const ids = [...body.matchAll(/<tool_id\s*>([^<]*)<\/tool_id\s*>/g)];
  return ids.length === 1 ? ids[0]?.[1]?.trim() : undefined;
}

/** The tool and parameter of an element, if parameters are allowed at its position. `around[0]` is the body. */
function parameterAt(element: Element, around: readonly Element[], idOfFormB: string | undefined) {
  const [body, call, deeper] = around;
  if (!body || deeper) return undefined;
  const first = body.parts.find((part) => part.kind === 'element');
  if (idOfFormB === undefined || !first || !['tool_id', 'inputs'].includes(first.name)) {
    return call && { toolId: call.name, name: element.name };
  }
  if (call ? call.name !== 'inputs' : ['tool_id', 'inputs'].includes(element.name)) return undefined;
  return { toolId: idOfFormB, name: inputName(element) ?? element.name };
}

function isStringParameter({ parameters }: ToolInterface, name: string): boolean {
  const { types } = shapeOf(parameters, parameters).shapeOfProperty(name);
  return types !== undefined && types.has('string') && [...types].every((type) => type === 'string' || type === 'null');
}

function startsWithCdata(text: string, { inner }: Element): boolean {
  return cdataOpenerAt(text, skipBlanks(text, inner, text.length), true) !== undefined;
}

/** Whether a raw string contains its own start tag again, or an end tag of a parameter that did not begin in it. */
function swallows(raw: string, { name: own }: Element, names: readonly string[]): boolean {
  const open = new Map([...names, own].map((name) => [name, 0]));
  for (const { 1: slash, 2: name = '' } of raw.matchAll(/<(\/?)([\p{L}_][^\s<>="']*)/gu)) {
    const count = open.get(name);
    if (count === undefined) continue;
    if (slash ? count === 0 : name === own) return true;
    open.set(name, count + (slash ? -1 : 1));
  }
  return false;
}
