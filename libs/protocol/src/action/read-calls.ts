import type { ToolBook } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import type { RawCall } from '../resolve-call.js';
import type { Source } from '../values/source.js';
import { ElementSource, warnOfAttributes } from './element-source.js';
import { inputName } from './input-name.js';
import { MarkupError, type Element } from './markup.js';
import { readMarkup } from './read-markup.js';
import { readRawStrings } from './read-raw-strings.js';

/** What the readers of a block's elements share. */
interface Reading {
  text: string;
  tools: ToolBook;
  findings: Findings;
}

const WAY_OUT = 'Close every tag in order, and put text with < or & into <![CDATA[…]]>';

/**
 * The calls of a body, in order, not yet looked up. A body that does not parse is tried once more with the string parameters
 * read raw; if that fails as well, the first error stands.
 */
export function readCalls(reading: Reading, inner: number, innerEnd: number): RawCall[] {
  const body = readBody(reading, inner, innerEnd);
  if (!body) return [];
  const ids = elementsOf(body).filter(({ name }) => name === 'tool_id');
  const [id, second] = ids;
  return id ? readFormB(body, id, second, reading) : readFormA(body, reading);
}

function readBody({ text, tools, findings }: Reading, inner: number, innerEnd: number): Element | undefined {
  try {
    return readMarkup(text, inner, innerEnd);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    const body = error.final ? undefined : readRawStrings(text, inner, innerEnd, tools);
    if (body)
      findings.warn(error.at, `${error.message}; string parameters are read as they stand, up to their end tags`);
    else findings.error('malformed_xml', error.at, `${error.message}. ${WAY_OUT}`);
    return body;
  }
}

function elementsOf(element: Element): Element[] {
  return element.content.filter((part) => part.kind === 'element');
}

/** The first text of an element outside its children, where there is any. */
function strayText({ content }: Element, text: string): { at: number; text: string } | undefined {
  for (const { kind, start, end } of content) {
    if (kind !== 'text' && kind !== 'cdata') continue;
    const stray = text.slice(start, end);
    const found = stray.trim();
    if (found !== '') return { at: start + stray.indexOf(found[0]!), text: found.slice(0, 40) };
  }
  return undefined;
}

/** Form A: each child is a call, its tag the tool, its children the parameters. */
function readFormA(body: Element, { text, tools, findings }: Reading): RawCall[] {
  const stray = strayText(body, text);
  if (stray) findings.warn(stray.at, `The text '${stray.text}' between the calls is ignored`);
  return elementsOf(body).map((call, index) => {
    warnOfAttributes(call, findings);
    if (tools.find(call.name)) refuseStrayText(call, index, text, findings);
    return { name: call.name, at: call.start, parameters: new ElementSource(text, call, findings).children };
  });
}

/** Form B: `<tool_id>` names the tool; the parameters are in `<inputs>`, as `<input name="…">` or under their own names. */
function readFormB(body: Element, id: Element, second: Element | undefined, { text, findings }: Reading): RawCall[] {
  const [inputs, more] = elementsOf(body).filter(({ name }) => name === 'inputs');
  const extra = second ?? more;
  if (extra) {
    const message = `The block has a second <${extra.name}>; with <tool_id> it holds one call. Use a tag per tool for several`;
    findings.error('malformed_xml', extra.start, message);
    return [];
  }
  const toolId = new ElementSource(text, id, findings);
  if (toolId.children.length > 0 || toolId.plain === '') {
    const kind = toolId.plain === '' ? 'missing_command' : 'malformed_xml';
    findings.error(kind, id.start, '<tool_id> must hold the id of the tool and nothing else');
    return [];
  }
  for (const part of [body, inputs]) if (part) refuseStrayText(part, 0, text, findings);
  const outside = elementsOf(body).filter(({ name }) => name !== 'tool_id' && name !== 'inputs');
  for (const { name, start } of outside)
    findings.warn(start, `<${name}> stands outside <inputs>; it is read as a parameter of ${toolId.plain}`);
  const parameters = [...(inputs ? elementsOf(inputs) : []), ...outside];
  return [{ name: toolId.plain, at: id.start, parameters: parameters.map((one) => parameter(one, text, findings)) }];
}

function parameter(element: Element, text: string, findings: Findings): Source {
  return new ElementSource(text, element, findings, inputName(element));
}

/** Text where parameters stand might be a value that lost its tag, so it is never passed over. */
function refuseStrayText(element: Element, call: number, text: string, findings: Findings): void {
  const stray = strayText(element, text);
  if (!stray) return;
  const message = `The text '${stray.text}' belongs to no parameter; put it into the tag of the parameter that it is for`;
  findings.error('invalid_parameters', stray.at, message, { call });
}
