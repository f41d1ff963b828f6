import type { ToolInterface } from '@errand/contracts';
import { colour, harmless } from '../terminal.js';
import { fit, pad, widthOf } from './fit-text.js';

const NARROW = 60;
const KIND_WIDTH = 8;

/** One line for each tool, no wider than the terminal (Infinity: nothing is cut); two where it is too narrow for columns. */
export function renderTable(tools: readonly ToolInterface[], width: number): string[] {
  if (width < NARROW) return tools.flatMap((tool) => [titleOf(tool), `  ${fit(wordsOf(tool), width - 2)}`]);
  const longest = Math.max(0, ...tools.map(({ toolId }) => widthOf(toolId)));
  const idWidth = Math.min(longest, width === Infinity ? longest : Math.floor(width * 0.4));
  return tools.map((tool) => {
    const id = colour.bold(pad(fit(harmless(tool.toolId), idWidth), idWidth));
    const kind = colour.dim(pad(tool.kind, KIND_WIDTH));
    return `${id}  ${kind}  ${fit(wordsOf(tool), width - idWidth - KIND_WIDTH - 4)}`;
  });
}

function titleOf({ toolId, kind }: ToolInterface): string {
  return `${colour.bold(harmless(toolId))} ${colour.dim(kind)}`;
}

function wordsOf({ description, deprecated }: ToolInterface): string {
  return `${deprecated ? '(deprecated) ' : ''}${harmless(description)}`;
}
