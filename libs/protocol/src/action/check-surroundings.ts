import type { ToolLookup } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import type { ActionBlock } from './find-blocks.js';

/** So much of the text on either side of a block is looked at. */
const REACH = 1_000;
const LAST_TAG = /<(\/?)([\p{L}_][^\s<>="']*)[^<>]*>\s*$/u;
const FIRST_TAG = /^\s*<(\/?)([\p{L}_][^\s<>="']*)/u;

/**
 * What stands around a block and tells that its opener or closer was put in the wrong place, or that it was but a thought.
 * Inputs cut off from their `<tool_id>` are an error, for the call would run without them; calls left outside are warned of.
 */
export function checkSurroundings(text: string, block: ActionBlock, tools: ToolLookup, findings: Findings): void {
  const isTool = (name: string) => tools.find(name.replace(/\/$/, '')) !== undefined;
  const before = LAST_TAG.exec(text.slice(Math.max(0, block.start - REACH), block.start));
  if (before && block.abandoned.length === 0 && isTool(before[2]!)) {
    findings.warn(block.start, `The <${before[2]}> before <ACTION> is no part of the block and is not run`);
  }
  const tail = text.slice(block.end, block.end + REACH);
  const [found, slash, tag] = FIRST_TAG.exec(tail) ?? [];
  const at = block.end + (found ?? '').indexOf('<');
  if (tag === 'inputs' || tag === 'input') {
    findings.error('malformed_xml', at, `The block ends before this <${tag}>; put </ACTION> behind </inputs>`);
  } else if (slash && /^think$/i.test(tag!)) {
    findings.warn(at, 'A </think> without its <think> follows the block; the block was read as said');
  } else if ((tag && isTool(tag)) || closesTool(tail, isTool)) {
    findings.warn(block.end, 'Tags of a tool follow </ACTION>; they are no part of the block and are not run');
  }
}

/** Whether a text holds the end tag of a tool that does not begin in it. */
function closesTool(text: string, isTool: (name: string) => boolean): boolean {
  const begun = new Set<string>();
  for (const [, slash, name] of text.matchAll(/<(\/?)([\p{L}_][^\s<>="']*)/gu)) {
    if (!slash) begun.add(name!);
    else if (!begun.has(name!) && isTool(name!)) return true;
  }
  return false;
}
