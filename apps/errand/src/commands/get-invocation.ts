import type { Invocation, Step } from '@errand/contracts';
import { EXIT } from '../client/client-errors.js';
import { describeWaits } from '../client/describe-waits.js';
import { invocationPath, requireInvocation } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { paintStatus, showEnd } from '../show-invocation.js';
import { colour, escapeControls, print, printJson, say } from '../terminal.js';
import { UsageError } from '../command-line.js';

interface Options extends ClientOptions {
  wait?: string;
}

/** The longest wait of the API, in seconds. */
const MAX_WAIT = 60;

/** `./errand get <id>`: prints an invocation. The exit code does not depend on its status. */
export const run = clientCommand<Options>(async (client, { options: { wait, json }, words: [id = ''] }) => {
  const seconds = readWait(wait);
  const path = `${invocationPath(id)}${seconds === undefined ? '' : `?wait=${seconds}`}`;
  const body = await client.json<unknown>({ path, waitMs: (seconds ?? 0) * 1_000 });
  const invocation = requireInvocation(body, client.url);
  if (json) printJson(body);
  else {
    showState(invocation);
    for (const { lines } of await describeWaits(client, invocation)) for (const line of lines) say(line);
    showEnd(invocation, client.target.again);
  }
  return EXIT.success;
});

function readWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT) return Number(text);
  throw new UsageError(`--wait must be a whole number of seconds from 0 to ${MAX_WAIT}, not '${text}'`);
}

function showState({ id, status, createdAt, startedAt, finishedAt, agent, session, progress, steps }: Invocation) {
  print(`${colour.bold(id)} ${paintStatus(status)}`);
  const facts = { created: createdAt, started: startedAt, ended: finishedAt, agent, session };
  for (const [name, value] of Object.entries(facts)) if (value) print(`  ${name.padEnd(8)} ${escapeControls(value)}`);
  if (typeof progress === 'number') print(`  progress ${Math.round(progress * 100)} %`);
  for (const step of steps) print(`  ${lineOf(step)}`);
}

function lineOf({ index, toolId, version, status, error }: Step): string {
  const failure = error ? ` ${error.type}: ${error.message}` : '';
  return `step ${index}   ${escapeControls(`${toolId}@${version}`)} ${paintStatus(status)}${escapeControls(failure)}`;
}
