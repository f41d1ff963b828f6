import type { ErrorKind, ToolLookup } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import type { RawCall } from '../resolve-call.js';
import { checkSurroundings } from './check-surroundings.js';
import { findActionBlocks, type ActionBlock } from './find-blocks.js';
import { readCalls } from './read-calls.js';

/** The block of a text that counts, and an ignored one. */
export interface ChosenBlock {
  block: ActionBlock;
  /** A later block with calls, which is ignored. */
  ignored?: ActionBlock;
}

/**
 * Returns the first block with elements; else the first that is cut off or was meant as a block; undefined if the text
 * has none.
 */
export function chooseActionBlock(text: string, tools: ToolLookup): ChosenBlock | undefined {
  let faulty: ActionBlock | undefined;
  let chosen: ActionBlock | undefined;
  for (const block of findActionBlocks(text, (name) => name === 'tool_id' || tools.find(name) !== undefined)) {
    if (chosen && (block.kind === 'calls' || block.kind === 'truncated')) return { block: chosen, ignored: block };
    if (block.kind === 'calls') chosen = block;
    else if (!faulty || (block.kind === 'truncated' && faulty.kind !== 'truncated')) faulty = block;
  }
  const block = chosen ?? faulty;
  return block && { block };
}

/** Returns the calls of the chosen block. Its problems go to `findings`. */
export function parseAction(
  text: string,
  { block, ignored }: ChosenBlock,
  tools: ToolLookup,
  findings: Findings,
): RawCall[] {
  for (const at of block.abandoned) {
    findings.warn(at, 'This <ACTION> is begun again before it is closed; it is taken for a mention');
  }
  if (ignored) findings.warn(ignored.start, 'A text has one ACTION block; this later one is ignored');
  const fault = faultOf(text, block);
  if (fault) {
    findings.error(...fault);
    return [];
  }
  checkSurroundings(text, block, tools, findings);
  return readCalls({ text, tools, findings }, block);
}

/** Why a block cannot be read at all: the kind of error, its offset and its message. */
function faultOf(text: string, block: ActionBlock): [ErrorKind, number, string] | undefined {
  const { kind, start, innerEnd, overrun } = block;
  if (kind === 'truncated') return ['truncated', start, 'The text ends before </ACTION>; send the whole block again'];
  if (kind === 'empty')
    return ['empty_action', start, 'The block contains no call; put a tag named after a tool into it'];
  if (overrun !== undefined) {
    const message = 'The block ends here, but tags go on to a further </ACTION>; put text with such marks into CDATA';
    return ['malformed_xml', innerEnd, message];
  }
  if (kind === 'text') {
    return ['malformed_xml', start, 'The block contains text but no tag; put a tag named after a tool into it'];
  }
  if (text[block.inner - 1] === '>') return undefined;
  return ['malformed_xml', start, 'The tag <ACTION has no >; begin the block with <ACTION>'];
}
