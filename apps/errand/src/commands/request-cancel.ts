import { EXIT } from '../client/client-errors.js';
import { invocationPath, requireInvocation } from '../client/invocation-path.js';
import { clientCommand } from '../client/run-client-command.js';
import { paintStatus } from '../show-invocation.js';
import { print, printJson } from '../terminal.js';

/** `./errand cancel <id>`: requests the end of an invocation. A running one ends when everything that runs for it has stopped. */
export const run = clientCommand(async (client, { options: { json }, words: [id = ''] }) => {
  const body = await client.json<unknown>({ path: `${invocationPath(id)}/cancel`, method: 'POST' });
  const { status } = requireInvocation(body, client.url);
  if (json) printJson(body);
  else print(status === 'cancelled' ? `${id} ${paintStatus(status)}` : `${id} is being cancelled; it is ${status}`);
  return EXIT.success;
});
