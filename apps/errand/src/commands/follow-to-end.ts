import { invocationPath } from '../client/invocation-path.js';
import { clientCommand } from '../client/run-client-command.js';
import { watchInvocation } from '../client/watch-invocation.js';

/** `./errand follow <id>`: prints the events of an invocation, also the earlier ones, until it ends. */
export const run = clientCommand(async (client, { options: { json }, words: [id = ''] }) => {
  invocationPath(id);
  return watchInvocation(client, { id }, json === true);
});
