import type { Json, Step, Waiting } from '@errand/contracts';
import { oneLine } from './one-line.js';

const PROMPT_CHARS = 2_000;
const NAME_CHARS = 120;

/** One answer from outside that an invocation waits for. */
export interface OpenWait {
  /** The key of its answer: `<step>`, or `<step>/<key>` for a wait of a node. */
  field: string;
  /** The asking part: the tool of the step, or the type of the node. */
  asker: string;
  nodeId?: string;
  waiting: Waiting;
}

/** Returns the answers that a step or its nodes wait for. */
export function openWaits({ index, toolId, waiting, nodes = [] }: Step): OpenWait[] {
  if (waiting?.for === 'answer') return [{ field: `${index}`, asker: toolId, waiting }];
  return nodes.flatMap((node) =>
    node.waiting?.for === 'answer'
      ? [{ field: `${index}/${node.waiting.key}`, asker: node.type, nodeId: node.nodeId, waiting: node.waiting }]
      : [],
  );
}

/** Returns one Observation line for each missing answer. */
export function observeWaiting(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => openWaits(step).map((wait) => observeWait(wait, step)));
}

function observeWait({ asker, nodeId, waiting }: OpenWait, { toolId }: Step): string {
  const asking =
    nodeId === undefined ? `Tool ${toolId}` : `Node '${oneLine(nodeId, NAME_CHARS)}' (${asker}) of tool ${toolId}`;
  const until = waiting.until === null ? '' : ` until ${waiting.until}`;
  const prompt = waiting.prompt === undefined ? '' : ` It asks: ${oneLine(textOf(waiting.prompt), PROMPT_CHARS)}`;
  return `Observation: ${asking} waits for an answer from outside${until}.${prompt} [somebody else answers it; there is nothing for you to call]`;
}

function textOf(prompt: Json): string {
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt);
}
