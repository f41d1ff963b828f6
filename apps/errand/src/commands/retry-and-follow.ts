import { invocationPath } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { followAccepted } from './invoke.js';

interface Options extends ClientOptions {
  detach?: true;
}

/** `./errand retry <id>`: continues a failed or cancelled invocation as a new one, and follows it. */
export const run = clientCommand<Options>(async (client, { options: { json, detach }, words: [id = ''] }) => {
  const accepted = await client.post<unknown>(`${invocationPath(id)}/retry`, '{}');
  return followAccepted(client, accepted, { json: json === true, detach: detach === true });
});
