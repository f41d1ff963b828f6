import type { ToolLookup, ToolInterface } from '@errand/contracts';
import { ProseSearch } from '../search-prose.js';
import type { Findings } from '../parse-result.js';
import type { RawCall } from '../resolve-call.js';
import { assignChained, assignSingle, type TamStep } from './assign-parameters.js';
import { DIALECTS, ESCAPE, type Dialect, type DialectName } from './dialects.js';
import type { Mismatch } from './hidden-fields.js';
import { namesOf, type DeclaredNames } from './declared-names.js';
import { commandNumber, splitsOf } from './keys.js';
import { matchMarks } from './match-marks.js';
import { mergeRepeated } from './merge-repeated.js';
import { readBlock, type BlockReading, type Field, type Scan } from './read-block.js';
import { readSteps } from './read-steps.js';
import { markAt, scanMarks } from './scan-marks.js';
import { checkStrayText } from './stray-text.js';

/** The calls of a text in TAM, and the ranges outside its blocks. */
interface TamReading {
  calls: RawCall[];
  /** The offset behind the last block. */
  end: number;
  /** The ranges of prose between and behind the blocks. */
  prose: { start: number; end: number }[];
}

/** The largest number of steps times fields in a block, because every step may share every field. */
const MAX_ASSIGNMENTS = 1_000_000;

/** The data that the parts of one block share. */
interface BlockContext {
  scan: Scan;
  dialect: Dialect;
  tools: ToolLookup;
  findings: Findings;
}

/**
 * Reads all blocks from `firstBlock` on, in order. A block without a clear end stops the reading, because the rest may
 * belong to it.
 */
export function parseTam(
  text: string,
  name: DialectName,
  firstBlock: number,
  tools: ToolLookup,
  findings: Findings,
): TamReading {
  const dialect = DIALECTS[name];
  const marks = scanMarks(text, dialect, firstBlock);
  const context: BlockContext = { scan: { text, marks, matches: matchMarks(marks) }, dialect, tools, findings };
  const reading: TamReading = { calls: [], end: text.length, prose: [] };
  const prose = new ProseSearch(text);
  let index = 0;
  for (let start = firstBlock; start !== -1;) {
    while (markAt(marks, index).start < start) index++;
    const known = findings.errors.length;
    const block = chooseReading(context, index + 1);
    if (!block) return { ...reading, end: text.length };
    // A value that lost its marks would also be reported as missing. One error is enough.
    const isWhole = findings.errors.length === known;
    if (isWhole) reading.calls.push(...readCalls(context, block, start, reading.calls.length));
    index = block.next;
    const end = markAt(marks, index - 1).end;
    reading.end = end;
    start = prose.find(dialect.blockStart, end);
    reading.prose.push({ start: end, end: start === -1 ? text.length : start });
  }
  return reading;
}

/**
 * Returns the first of the three readings that leaves no mark over. Returns undefined if none does; `findings` then has
 * the reason.
 */
function chooseReading(context: BlockContext, index: number): BlockReading | undefined {
  const { scan, findings, dialect } = context;
  const names = knownNames(context, index);
  const isKnown = (name: string) => names.isCommand(name) || names.isParameter(name);
  let why: Mismatch | undefined;
  for (const reading of ['balanced', 'first', 'last'] as const) {
    const block = readBlock(scan, index, reading, names);
    if ('fields' in block) {
      if (why) findings.warn(why.at, `${why.message}; the values are taken to end at the ${reading} ${dialect.close}`);
      warnOf(block, context, isKnown);
      return block;
    }
    why ??= block;
  }
  const start = markAt(scan.marks, index - 1);
  if (why?.unended || scan.text.indexOf(dialect.blockEnd, start.end) === -1) {
    const where = why?.unended ? 'Another block begins' : 'The text ends';
    findings.error('truncated', start.start, `${where} before ${dialect.blockEnd}; send the whole block again`);
  } else if (why) {
    const wayOut = `Close each value with ${dialect.close}; put a value that holds marks between ${ESCAPE.open} and ${ESCAPE.close}`;
    findings.error('malformed_tam', why.at, `${why.message}. ${wayOut}`);
  }
  return undefined;
}

function warnOf(
  { stray, comments, marked }: BlockReading,
  { scan, dialect, findings }: BlockContext,
  isKnown: (name: string) => boolean,
) {
  for (const { at, message } of marked) findings.warn(at, message);
  for (const stretch of stray) checkStrayText(scan.text, stretch, isKnown, findings);
  for (const { start, end } of comments) {
    if (scan.text.slice(start, end).includes(dialect.open))
      findings.warn(start, 'The comment holds a field, which is ignored');
  }
}

/** Returns checks for the names that the tools of this block declare. They are computed on first use. */
function knownNames({ scan, dialect, tools }: BlockContext, index: number) {
  let named: DeclaredNames[] | undefined;
  return {
    isCommand: (name: string) => commandNumber(name, dialect.command) !== undefined,
    isParameter(name: string): boolean {
      named ??= toolsNamed(scan, index, dialect, tools).map(namesOf);
      const spellings = [name, ...splitsOf(name).map((split) => split.name)];
      return named.some((names) => spellings.some((spelling) => names.find(spelling).length > 0));
    },
  };
}

/** The tools of all command fields up to the end of the block, independent of where values end. */
function toolsNamed({ text, marks }: Scan, index: number, dialect: Dialect, tools: ToolLookup): ToolInterface[] {
  const found: ToolInterface[] = [];
  for (let i = index; i < marks.length - 1; i++) {
    const { key, kind, end } = markAt(marks, i);
    if (kind === 'blockEnd' || kind === 'blockStart') break;
    if (!key || commandNumber(key.name, dialect.command) === undefined) continue;
    const tool = tools.find(
      text
        .slice(end, markAt(marks, i + 1).start)
        .trim()
        .slice(0, 300),
    );
    if (tool && !found.includes(tool)) found.push(tool);
  }
  return found;
}

function readCalls(
  { dialect, tools, findings }: BlockContext,
  block: BlockReading,
  blockAt: number,
  firstCall: number,
): RawCall[] {
  const fields = dialect.trims
    ? block.fields.map((field): Field => ({ ...field, value: field.value.trim() }))
    : block.fields;
  const found = readSteps(fields, dialect, blockAt, findings);
  if (!found) return [];
  if (found.steps.length * found.parameters.length > MAX_ASSIGNMENTS) {
    findings.error('malformed_tam', blockAt, 'The block has too many steps and fields; split it into several');
    return [];
  }
  const steps = found.steps.map((step, index): TamStep & { field: Field; toolId: string } => {
    const toolId = step.field.value.trim();
    const tool = tools.find(toolId);
    return {
      number: step.number,
      field: step.field,
      toolId,
      call: firstCall + index,
      tool,
      names: tool && namesOf(tool),
      assigned: [],
      ownsUnnumbered: step === found.unnumbered,
    };
  });
  if (found.chained) assignChained(found.parameters, steps, dialect, findings);
  else assignSingle(found.parameters, steps[0]!, findings);
  return steps.map(({ field, toolId, tool, assigned }) => ({
    name: toolId,
    at: field.at,
    end: field.end,
    tags: [],
    parameters: tool ? mergeRepeated(assigned, tool, findings) : [],
  }));
}
