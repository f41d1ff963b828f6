import { setTimeout as delay } from 'node:timers/promises';
import type { Invocation, Step } from '@errand/contracts';
import { openWaits, type OpenWait } from '@errand/protocol';
import type { ApiClient } from '../client/api-client.js';
import { RefusedError } from '../client/client-errors.js';
import { invocationPath, requireInvocation } from '../client/invocation-path.js';
import { textOf } from '../show-invocation.js';
import { showRefusal } from '../client/run-client-command.js';
import { colour, escapeControls, say } from '../terminal.js';
import type { Keyboard } from './keyboard.js';

/** An answer that a turn waits for: a step of an invocation below the turn. */
interface TurnWait {
  invocation: Invocation;
  step: Step;
  wait: OpenWait;
}

const PAUSE_MS = 200;
/** Agents that call agents: the wait is in an invocation this far below the turn at most. */
const MAX_LEVELS = 20;

/**
 * Answers from the keyboard what a turn waits for, such as the calls of client tools, until it waits for nothing more.
 * @returns false if the input ended before all answers were given
 */
export async function answerWaits(client: ApiClient, id: string, keyboard: Keyboard): Promise<boolean> {
  const answered = new Set<string>();
  for (;;) {
    const turn = await read(client, id);
    if (turn.status !== 'waiting_external') return true;
    const waits = (await findWaits(client, turn, MAX_LEVELS)).filter((each) => !answered.has(keyOf(each)));
    for (const wait of waits) {
      if (!(await answer(client, wait, keyboard))) return false;
      answered.add(keyOf(wait));
    }
    // The turn shows an answer only after its child has taken it.
    if (waits.length === 0) await delay(PAUSE_MS);
  }
}

/** The open answers of an invocation. A step that waits for an answer of another invocation leads there. */
async function findWaits(client: ApiClient, invocation: Invocation, levels: number): Promise<TurnWait[]> {
  const found = invocation.steps.map(async (step): Promise<TurnWait[]> => {
    const below = step.waiting?.for === 'answer' ? step.waiting.invocationId : undefined;
    if (below === undefined) return openWaits(step).map((wait) => ({ invocation, step, wait }));
    return levels === 0 ? [] : findWaits(client, await read(client, below), levels - 1);
  });
  return (await Promise.all(found)).flat();
}

/** Asks until the API accepts the answer. @returns false at the end of the input */
async function answer(client: ApiClient, { invocation, step, wait }: TurnWait, keyboard: Keyboard): Promise<boolean> {
  const { asker, nodeId, waiting } = wait;
  const prompt = waiting.prompt === undefined ? JSON.stringify(step.arguments) : textOf(waiting.prompt);
  say(`  ${colour.yellow('?')} ${escapeControls(asker)} ${escapeControls(prompt)}`);
  const node = nodeId === undefined ? {} : { nodeId };
  for (;;) {
    const line = await keyboard.ask('    result (JSON or text; !text for an error): ');
    if (line === undefined) return false;
    const body = JSON.stringify({ ...readAnswer(line), ...node });
    try {
      await client.post(`${invocationPath(invocation.id)}/steps/${step.index}/result`, body);
      return true;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      // Somebody else has answered, or the turn was cancelled.
      if (error.refusal.code === 'conflict') return true;
      showRefusal(error.refusal);
    }
  }
}

/** A line as an answer: JSON, else text; behind `!` the message of an error. */
function readAnswer(line: string): object {
  if (line.startsWith('!')) return { error: { message: line.slice(1).trim() || 'declined' } };
  try {
    return { result: JSON.parse(line) as unknown };
  } catch {
    return { result: line };
  }
}

async function read(client: ApiClient, id: string): Promise<Invocation> {
  return requireInvocation(await client.get<unknown>(invocationPath(id)), client.url);
}

const keyOf = ({ invocation, wait }: TurnWait) => `${invocation.id} ${wait.field}`;
