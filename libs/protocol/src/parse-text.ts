/// <reference lib="es2024.string" />
import type { Call, ToolLookup } from '@errand/contracts';
import { chooseActionBlock, parseAction, type ChosenBlock } from './action/parse-action.js';
import { ProseSearch } from './search-prose.js';
import { Findings, type ParseResult, type Protocol } from './parse-result.js';
import { resolveCall, type RawCall } from './resolve-call.js';
import { DIALECT_NAMES, DIALECTS, type DialectName } from './tam/dialects.js';
import { detectDialect } from './tam/detect-dialect.js';
import { parseTam } from './tam/parse-tam.js';
import { observeProblems } from './observe/observe.js';
import { observeWarnings } from './observe/observe-warnings.js';
import { endsIn, placesOf } from './places-of.js';
import { ValuePositions } from './values/value-positions.js';
import { checkTemplates } from './templates/check-templates.js';

/** The format of a text, and the tools that it may call. */
export interface ParseOptions {
  /** `auto` (the default) takes the format of the first block. */
  protocol?: Protocol | 'auto';
  tools: ToolLookup;
  /** Adds `places` to the result. It costs a table of all values. */
  places?: boolean;
  /** Adds `names` to the result. */
  names?: boolean;
}

/** The largest number of calls in a submission. */
const MAX_CALLS = 1_000;
const ILLEGAL = /[\0\p{Cs}]/u;

/** The position and format of the first block. */
type Found = { protocol: 'action'; start: number; chosen: ChosenBlock } | { protocol: DialectName; start: number };

/** The parts of a text: prose and calls. */
interface Parts {
  calls: RawCall[];
  before: string;
  /** The offset behind the last block. */
  end: number;
  after: string;
}

/**
 * Reads the calls of a text from a model, a person or a script. Never throws. If `errors` is not empty, there are no
 * calls, because nothing of a text runs unless every call is valid.
 */
export function parse(text: string, options: ParseOptions): ParseResult {
  const found = findBlock(text, options);
  const findings = new Findings();
  if (!found) {
    warnOfLoneClosers(text, findings);
    const located = findings.located(text);
    const observation = observeWarnings(located.warnings).join('\n') || null;
    return { protocol: null, responseText: text, trailingText: '', calls: [], ...located, observation };
  }
  const parts = readParts(text, found, options.tools, findings);
  checkText(text.slice(0, parts.end), found, findings);
  warnOfUnclosedSections(parts.before, findings);
  const positions = parts.calls.map(({ at }) => new ValuePositions(at));
  const calls = resolveAll(parts.calls, found, options.tools, findings, positions);
  const located = findings.located(text, options.places ? endsIn(text, positions) : undefined);
  const named = parts.calls.map(({ name }) => ({ toolId: name }));
  return {
    protocol: found.protocol,
    responseText: withoutFence(parts.before).trim(),
    trailingText: parts.after.trim(),
    calls: located.errors.length > 0 ? [] : calls,
    ...located,
    observation: observeProblems(located.errors, named, located.warnings) || null,
    ...(options.names && { names: parts.calls.slice(0, MAX_CALLS).map(({ name }) => name) }),
    ...(options.places && { places: placesOf(text, parts.calls, positions, findings) }),
  };
}

function findBlock(text: string, { protocol = 'auto', tools }: ParseOptions): Found | undefined {
  const found: Found[] = [];
  if (protocol === 'auto' || protocol === 'action') {
    const chosen = chooseActionBlock(text, tools);
    if (chosen) found.push({ protocol: 'action', start: chosen.block.start, chosen });
  }
  const markers = new Map<string, DialectName>();
  for (const name of DIALECT_NAMES) {
    if (protocol === 'auto' || protocol === name)
      markers.set(DIALECTS[name].blockStart, markers.get(DIALECTS[name].blockStart) ?? name);
  }
  for (const [marker, name] of markers) {
    const start = new ProseSearch(text).find(marker, 0);
    if (start !== -1) found.push({ protocol: protocol === 'auto' ? detectDialect(text, start, name) : name, start });
  }
  return found.toSorted((a, b) => a.start - b.start)[0];
}

function readParts(text: string, found: Found, tools: ToolLookup, findings: Findings): Parts {
  const before = text.slice(0, found.start);
  if (found.protocol !== 'action') {
    const { calls, end, prose } = parseTam(text, found.protocol, found.start, tools, findings);
    for (const stretch of [{ start: 0, end: found.start }, ...prose])
      warnOfLoneMarkers(text.slice(stretch.start, stretch.end), stretch.start, tools, findings);
    const after = prose.map((stretch) => text.slice(stretch.start, stretch.end).trim()).filter((piece) => piece !== '');
    return { calls, before, end, after: after.join('\n') };
  }
  const calls = parseAction(text, found.chosen, tools, findings);
  const { end } = found.chosen.block;
  for (const { blockStart } of [DIALECTS.tam, DIALECTS.vcp]) {
    const at = text.indexOf(blockStart, end);
    if (at !== -1) findings.warn(at, `A text has blocks of one format; this ${blockStart} is ignored`);
  }
  return { calls, before, end, after: text.slice(end) };
}

/**
 * Warns of blocks in another format than the first one, and of end markers without a block. Both are probably mistakes.
 */
function warnOfLoneMarkers(prose: string, at: number, tools: ToolLookup, findings: Findings): void {
  if (!prose.includes('<')) return;
  const other = findBlock(prose, { tools });
  if (!other) warnOfLoneClosers(prose, findings, at);
  else findings.warn(at + other.start, `A text has blocks of one format; this ${other.protocol} block is ignored`);
}

function resolveAll(
  raw: readonly RawCall[],
  { protocol, start }: Found,
  tools: ToolLookup,
  findings: Findings,
  positions: readonly ValuePositions[],
): Call[] {
  if (raw.length > MAX_CALLS) {
    const kind = protocol === 'action' ? 'malformed_xml' : 'malformed_tam';
    findings.error(kind, start, `The text contains ${raw.length} calls; a submission may have at most ${MAX_CALLS}`);
    return [];
  }
  const calls = raw.map((call, index) => resolveCall(call, index, tools, findings, positions[index]));
  const resolved = calls.filter((call) => call !== undefined);
  if (resolved.length < calls.length) return [];
  const outputs = resolved.map(({ toolId }) => tools.find(toolId)?.output);
  const { problems, warnings } = checkTemplates(resolved, outputs);
  for (const { call, path, message } of problems)
    findings.error('invalid_parameters', positionOfParameter(raw[call], path) ?? start, message, { path, call });
  for (const { call, path, message } of warnings) findings.warn(positionOfParameter(raw[call], path) ?? start, message);
  return resolved;
}

/** Returns the offset of the parameter that contains the value at a JSON Pointer. */
function positionOfParameter(call: RawCall | undefined, path: string): number | undefined {
  const [, first = ''] = path.split('/', 2);
  const parameter = call?.parameters.find(({ name }) => first === name.replaceAll('~', '~0').replaceAll('/', '~1'));
  return parameter?.at ?? call?.at;
}

/**
 * Rejects characters that a store cannot return unchanged: NUL, and halves of surrogate pairs, which UTF-8 cannot hold.
 */
function checkText(text: string, { start, protocol }: Found, findings: Findings): void {
  const block = text.slice(start);
  if (!block.includes('\0') && block.isWellFormed()) return;
  const index = block.search(ILLEGAL);
  if (index === -1) return;
  const what = text[start + index] === '\0' ? 'a NUL character' : 'half of a surrogate pair';
  const kind = protocol === 'action' ? 'malformed_xml' : 'malformed_tam';
  findings.error(kind, start + index, `The block contains ${what}, which is not text`);
}

/** Removes the opening line of the code fence around the block. Linear, also for long blanks in a line. */
function withoutFence(before: string): string {
  const prose = before.trimEnd();
  const lineStart = prose.lastIndexOf('\n') + 1;
  if (!/^[ \t]*(?:```|~~~)/.test(prose.slice(lineStart))) return before;
  const fences = before.match(/^[ \t]*(?:```|~~~).*$/gm) ?? [];
  return fences.length % 2 === 1 ? before.slice(0, Math.max(lineStart - 1, 0)) : before;
}

function warnOfUnclosedSections(before: string, findings: Findings): void {
  const at = before.toLowerCase().lastIndexOf('<think>');
  if (at !== -1 && !/<\/think\s*>/i.test(before.slice(at)))
    findings.warn(at, '<think> is not closed; the text behind it is read as prose');
  const comment = before.lastIndexOf('<!--');
  if (comment !== -1 && !before.includes('-->', comment))
    findings.warn(comment, '<!-- is not closed; the text behind it is read as prose');
}

/** Warns of end markers without a start marker. The block may have lost its beginning. */
function warnOfLoneClosers(text: string, findings: Findings, offset = 0): void {
  const closer = /<\/ACTION\s*>/i.exec(text)?.[0] ?? '</ACTION>';
  for (const marker of [closer, DIALECTS.tam.blockEnd, DIALECTS.vcp.blockEnd]) {
    const at = new ProseSearch(text).find(marker, 0);
    if (at !== -1) findings.warn(offset + at, `${marker} closes no block`);
  }
}
