import type { Json, Step, Waiting } from '@errand/contracts';
import { oneLine } from './one-line.js';

const PROMPT_CHARS = 2_000;
const NAME_CHARS = 120;

/** One thing that an invocation waits for somebody outside to answer. */
export interface OpenWait {
  /** Where its answer is kept: `<step>`, or `<step>/<key>` of a node's wait. */
  field: string;
  /** What asks: the tool of the step, the type of the node. */
  asker: string;
  nodeId?: string;
  waiting: Waiting;
}

/** What a step waits for: an answer to itself, or to some of its nodes. */
export function openWaits({ index, toolId, waiting, nodes = [] }: Step): OpenWait[] {
  if (waiting?.for === 'answer') return [{ field: `${index}`, asker: toolId, waiting }];
  return nodes.flatMap((node) =>
    node.waiting?.for === 'answer'
      ? [{ field: `${index}/${node.waiting.key}`, asker: node.type, nodeId: node.nodeId, waiting: node.waiting }]
      : [],
  );
}

/** What to tell a model of an invocation that waits for somebody outside: a line for each answer that is missing. */
export function observeWaiting(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => openWaits(step).map((wait) => observeWait(wait, step)));
}

function observeWait({ asker, nodeId, waiting }: OpenWait, { toolId }: Step): string {
  const who =
    nodeId === undefined ? `Tool ${toolId}` : `Node '${oneLine(nodeId, NAME_CHARS)}' (${asker}) of tool ${toolId}`;
  const until = waiting.until === null ? '' : ` until ${waiting.until}`;
  const prompt = waiting.prompt === undefined ? '' : ` It asks: ${oneLine(textOf(waiting.prompt), PROMPT_CHARS)}`;
  return `Observation: ${who} waits for an answer from outside${until}.${prompt} [somebody else answers it; there is nothing for you to call]`;
}

function textOf(prompt: Json): string {
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt);
}
