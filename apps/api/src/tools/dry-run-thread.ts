import type { ToolLookup } from '@errand/contracts';
import { parseWithFixes, type ParseOptions } from '@errand/protocol';
import { toolLookupOf, type AdHocTool } from '@errand/registry';

/** A text, and the tools that the request describes. */
export interface DryRun {
  text: string;
  protocol?: NonNullable<ParseOptions['protocol']>;
  tools: readonly AdHocTool[];
  /** Adds where calls and values are written. */
  places?: boolean;
}

/** The message to the thread. */
export interface DryRunTask extends DryRun {
  /** One number in shared memory: the last tool that was looked up, counted from 1. */
  lastTool: Int32Array;
}

/** Runs in its own thread, because the schemas come from the caller. */
export function run({ text, protocol, tools, places = false, lastTool }: DryRunTask) {
  const lookup = observed(toolLookupOf(tools), tools, lastTool);
  return parseWithFixes(text, { tools: lookup, places, ...(protocol && { protocol }) });
}

function observed(book: ToolLookup, tools: readonly AdHocTool[], lastTool: Int32Array): ToolLookup {
  const numbers = new Map(tools.map(({ toolId }, index) => [toolId, index + 1]));
  const observe = (toolId: string) => Atomics.store(lastTool, 0, numbers.get(toolId) ?? 0);
  return {
    ...book,
    find(name) {
      observe(name);
      return book.find(name);
    },
    validate(tool, args) {
      observe(tool.toolId);
      return book.validate(tool, args);
    },
  };
}
