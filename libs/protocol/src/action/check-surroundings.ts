import type { ToolLookup } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import type { ActionBlock } from './find-blocks.js';

/** The number of characters that are checked on each side of a block. */
const REACH = 1_000;
const LAST_TAG = /<(\/?)([\p{L}_][^\s<>="']*)[^<>]*>\s*$/u;
const FIRST_TAG = /^\s*<(\/?)([\p{L}_][^\s<>="']*)/u;

/**
 * Checks the text around a block for signs of a misplaced opener or closer, or of a block that was only a thought.
 * Inputs cut off from their `<tool_id>` are an error, because the call would run without them. Calls outside the block
 * are a warning.
 */
export function checkSurroundings(text: string, block: ActionBlock, tools: ToolLookup, findings: Findings): void {
  const isTool = (name: string) => tools.find(name.replace(/\/$/, '')) !== undefined;
  const before = LAST_TAG.exec(text.slice(Math.max(0, block.start - REACH), block.start));
  if (before?.[2] !== undefined && block.abandoned.length === 0 && isTool(before[2])) {
    findings.warn(block.start, `The <${before[2]}> before <ACTION> is not part of the block and is not run`);
  }
  const tail = text.slice(block.end, block.end + REACH);
  const [found, slash, tag] = FIRST_TAG.exec(tail) ?? [];
  const at = block.end + (found ?? '').indexOf('<');
  if (tag === 'inputs' || tag === 'input') {
    findings.error('malformed_xml', at, `The block ends before this <${tag}>; put </ACTION> behind </inputs>`);
  } else if (slash && tag !== undefined && /^think$/i.test(tag)) {
    findings.warn(at, 'A </think> without its <think> follows the block; the block was read as prose');
  } else if ((tag && isTool(tag)) || closesTool(tail, isTool)) {
    findings.warn(block.end, 'Tags of a tool follow </ACTION>; they are not part of the block and are not run');
  }
}

/** Whether a text contains the end tag of a tool without its start tag. */
function closesTool(text: string, isTool: (name: string) => boolean): boolean {
  const begun = new Set<string>();
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([\p{L}_][^\s<>="']*)/gu)) {
    if (!slash) begun.add(name);
    else if (!begun.has(name) && isTool(name)) return true;
  }
  return false;
}
