import type { ToolLookup } from '@errand/contracts';
import { skipBlanks } from '../blanks.js';
import type { Findings } from '../parse-result.js';
import type { RawCall } from '../resolve-call.js';
import { shapeOf } from '../values/shape-of.js';
import type { ValueSource, Tag } from '../values/value-source.js';
import { ElementSource } from './element-source.js';
import { inputName, readAttributes } from './read-attributes.js';
import type { ActionBlock } from './find-blocks.js';
import { isText, type Element } from './element.js';
import { MarkupError } from './markup.js';
import { readMarkup } from './read-markup.js';
import { readRawStrings } from './read-raw-strings.js';

/** The data that the readers of a block's elements share. */
interface Reading {
  text: string;
  tools: ToolLookup;
  findings: Findings;
}

const WAY_OUT = 'Close every tag in order, and put text with < or & into <![CDATA[…]]>';

/**
 * Returns the calls of a body in order, before their tools are resolved. A body that does not parse is read once more
 * with raw string parameters. If that fails too, the first error is reported.
 */
export function readCalls(reading: Reading, { start, inner, innerEnd }: ActionBlock): RawCall[] {
  const body = readBody(reading, inner, innerEnd);
  if (!body) return [];
  const ids = body.elements.filter(({ name }) => name === 'tool_id');
  const [id, second] = ids;
  const calls = id ? readFormB(body, id, second, reading) : readFormA(body, reading);
  checkBlockAttributes(reading.text.slice(start + '<ACTION'.length, inner - 1), start, calls, reading);
  return calls;
}

function readBody({ text, tools, findings }: Reading, inner: number, innerEnd: number): Element | undefined {
  try {
    return readMarkup(text, inner, innerEnd);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    const body = error.final ? undefined : readRawStrings(text, inner, innerEnd, tools);
    if (body)
      findings.warn(error.at, `${error.message}; string parameters are read as they stand, up to their end tags`);
    else findings.error('malformed_xml', error.at, error.final ? error.message : `${error.message}. ${WAY_OUT}`);
    return body;
  }
}

/** The first text of an element outside its children. */
function strayText(element: Element, text: string): { at: number; text: string } | undefined {
  const isWithout = element.parts.every(({ kind }) => kind !== 'cdata') && element.hasBlankTexts(text);
  if (isWithout) return undefined;
  for (const part of element.content) {
    const at = isText(part) ? skipBlanks(text, part.start, part.end) : part.end;
    if (at < part.end) return { at, text: text.slice(at, part.end).trimEnd().slice(0, 40) };
  }
  return undefined;
}

/** Form A: each child is a call. Its tag is the tool, its children are the parameters. */
function readFormA(body: Element, { text, tools, findings }: Reading): RawCall[] {
  const stray = strayText(body, text);
  if (stray) findings.warn(stray.at, `The text '${stray.text}' between the calls is ignored`);
  return body.elements.map((call, index) => {
    const isInput = declares(call.name, 'input', tools);
    if (tools.find(call.name)) refuseStrayText(call, index, text, findings);
    const parameters = call.elements.map((one): ValueSource => {
      const name = inputName(one);
      const isLost = name !== undefined && !isInput;
      const wayOut = isLost ? `This <input> belongs beside a <tool_id>; write <${name.slice(0, 60)}>…</…>` : undefined;
      return new ElementSource(text, one, findings, one.name, wayOut);
    });
    const tags = [new ElementSource(text, call, findings)];
    return { name: call.name, at: call.start, tags, parameters, end: call.end };
  });
}

/**
 * Form B: `<tool_id>` names the tool. The parameters are in `<inputs>`, as `<input name="…">` or under their own names.
 */
function readFormB(body: Element, id: Element, second: Element | undefined, reading: Reading): RawCall[] {
  const { text, tools, findings } = reading;
  const [inputs, more] = body.elements.filter(({ name }) => name === 'inputs');
  const extra = second ?? more;
  if (extra) {
    const message = `The block has a second <${extra.name}>; with <tool_id> it holds one call. Use a tag per tool for several`;
    findings.error('malformed_xml', extra.start, message);
    return [];
  }
  const toolId = new ElementSource(text, id, findings);
  toolId.use();
  if (toolId.children.length > 0 || toolId.plain === '') {
    const kind = toolId.plain === '' ? 'missing_command' : 'malformed_xml';
    findings.error(kind, id.start, '<tool_id> must hold the id of the tool and nothing else');
    return [];
  }
  for (const part of [body, inputs]) if (part) refuseStrayText(part, 0, text, findings);
  const outside = body.elements.filter(({ name }) => name !== 'tool_id' && name !== 'inputs');
  for (const { name, start } of outside)
    findings.warn(start, `<${name}> is outside <inputs>; it is read as a parameter of ${toolId.plain}`);
  const elements = [...(inputs ? inputs.elements : []), ...outside];
  const isInput = declares(toolId.plain, 'input', tools);
  const parameters = elements.map((one): ValueSource => {
    const name = inputName(one);
    const isLost = one.name === 'input' && name === undefined && !isInput;
    const wayOut = isLost ? 'This <input> names no parameter; write <input name="…">' : undefined;
    return new ElementSource(text, one, findings, name, wayOut);
  });
  const tags: Tag[] = [toolId, ...(inputs ? [new ElementSource(text, inputs, findings)] : [])];
  return [{ name: toolId.plain, at: id.start, tags, parameters, end: (inputs ?? id).end }];
}

function declares(toolId: string, parameter: string, tools: ToolLookup): boolean {
  const tool = tools.find(toolId);
  return tool === undefined || shapeOf(tool.parameters, tool.parameters).names.includes(parameter);
}

/**
 * Checks the attributes of `<ACTION>`. They are ignored with a warning, unless one has the name of a declared parameter
 * that is not given.
 */
function checkBlockAttributes(written: string, at: number, calls: readonly RawCall[], reading: Reading): void {
  const { list, fault } = readAttributes(written);
  const lost = list.find(({ name }) => {
    const toolIds = new Set(calls.map((call) => call.name));
    const declaring = [...toolIds].filter(
      (toolId) => reading.tools.find(toolId) && declares(toolId, name, reading.tools),
    );
    if (declaring.length === 0) return false;
    return calls.some((call) => declaring.includes(call.name) && !call.parameters.some((one) => one.name === name));
  });
  if (fault !== undefined) {
    reading.findings.error('malformed_xml', at, `The attributes of <ACTION> cannot be read: ${fault}`);
  } else if (lost) {
    const message = `The attribute '${lost.name}' of <ACTION> must be a tag inside the call: <${lost.name}>…</${lost.name}>`;
    reading.findings.error('invalid_parameters', at, message, { call: 0 });
  } else if (list.length > 0) reading.findings.warn(at, 'The attributes of <ACTION> are ignored');
}

/** Refuses text between parameters. It may be a value that lost its tag, so it is never ignored. */
function refuseStrayText(element: Element, call: number, text: string, findings: Findings): void {
  const stray = strayText(element, text);
  if (!stray) return;
  const message = `The text '${stray.text}' belongs to no parameter; put it into the tag of the parameter that it is for`;
  findings.error('invalid_parameters', stray.at, message, { call });
}
