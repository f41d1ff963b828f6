import { openWaits } from '@errand/protocol';
import type { ApiClient } from '../client/api-client.js';
import { EXIT } from '../client/client-errors.js';
import { invocationPath, requireInvocation } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { readInput, requireJson, readStep } from '../read-input.js';
import { paintStatus } from '../show-invocation.js';
import { colour, print, printJson, say } from '../terminal.js';
import { UsageError } from '../command-line.js';

interface Options extends ClientOptions {
  step?: string;
  node?: string;
  error?: string;
}

/** `./errand answer <id> [--step n] <json>`: gives the result of an external tool, or of a node that waits for an answer. */
export const run = clientCommand<Options>(async (client, { options, words: [id = '', json] }) => {
  const path = invocationPath(id);
  const answer = await readAnswer(json, options.error);
  const node = options.node === undefined ? '' : `,"nodeId":${JSON.stringify(options.node)}`;
  const step = options.step === undefined ? await onlyWaiting(client, path) : readStep(options.step);
  const body = await client.post<unknown>(`${path}/steps/${step}/result`, `{${answer}${node}}`);
  const { status } = requireInvocation(body, client.url);
  if (options.json) printJson(body);
  else {
    print(`${id} ${paintStatus(status)}`);
    say(colour.dim(`Step ${step} has its answer. To follow it: ./errand follow ${id}${client.target.again}`));
  }
  return EXIT.success;
});

/** The field of the body. The JSON of the user stays as it is, because the API checks its numbers. */
async function readAnswer(json: string | undefined, error: string | undefined): Promise<string> {
  if (error !== undefined) {
    if (json !== undefined) throw new UsageError('Give an answer as JSON or --error, not both');
    return `"error":${JSON.stringify({ message: error })}`;
  }
  if (json === undefined) throw new UsageError('The answer is missing: its JSON, such as \'{"ok": true}\', or --error');
  return `"result":${requireJson(json === '-' ? await readInput('-', 'the answer as JSON') : json, 'The answer')}`;
}

/** The number of the step that waits for an answer; 0 if none does, so that the API explains it. */
async function onlyWaiting(client: ApiClient, path: string): Promise<number> {
  const { steps } = requireInvocation(await client.get<unknown>(path), client.url);
  const [first = 0, ...others] = steps.filter((step) => openWaits(step).length > 0).map(({ index }) => index);
  if (others.length === 0) return first;
  throw new UsageError(
    `Several steps wait for an answer; name one of them: --step ${[first, ...others].join(', --step ')}`,
  );
}
