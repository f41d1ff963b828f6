import { isObject } from '@errand/contracts';
import type { ApiClient } from '../client/api-client.js';
import { EXIT } from '../client/client-errors.js';
import { requireInvocation } from '../client/invocation-path.js';
import { clientCommand, showingRefusals, type ClientOptions } from '../client/run-client-command.js';
import { watchInvocation } from '../client/watch-invocation.js';
import { readStdin, requireJson } from '../read-input.js';
import { colour, escapeControls, print, printJson, say } from '../terminal.js';

interface Options extends ClientOptions {
  tool?: string;
  agent?: string;
  session?: string;
  detach?: true;
}

/** `./errand invoke '<text>'`: submits a text, or the arguments of one tool, and follows the invocation. */
export const run = clientCommand<Options>(async (client, { options, words }) => {
  const given = words.join(' ');
  if (options.tool !== undefined) {
    const args = given === '-' ? await readStdin('the arguments as JSON') : given;
    return submit(client, { arguments: requireJson(args.trim() || '{}', 'The arguments of the tool') }, options);
  }
  const text = words.length === 0 || given === '-' ? await readStdin('the text') : given;
  return invoke(client, text, options);
});

/** Submits a text and shows the outcome. @returns the exit code */
export function invoke(client: ApiClient, text: string, options: Options = {}): Promise<number> {
  return showingRefusals(options, () => submit(client, { text: JSON.stringify(text) }, options), text);
}

/** Submits a body whose fields are JSON texts. The JSON of a user stays as it is, because the API checks its numbers. */
async function submit(client: ApiClient, fields: Record<string, string>, options: Options): Promise<number> {
  const { tool, agent, session, json, detach } = options;
  const names = { toolId: tool, agent, session };
  const all = {
    ...fields,
    ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name, JSON.stringify(value)])),
  };
  const body = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]));
  const accepted = await client.post<unknown>('/v1/invocations', `{${body.join(',')}}`);
  if (isObject(accepted) && accepted.status === 'no_action') {
    if (json) printJson(accepted);
    else {
      say(colour.dim('No ACTION or TAM block: a plain response, nothing to run.'));
      print(escapeControls(String(accepted.responseText)));
    }
    return EXIT.success;
  }
  return followAccepted(client, accepted, { json: json === true, detach: detach === true });
}

/** Follows an invocation that was accepted just now; with `detach`, only its id is printed. */
export async function followAccepted(
  client: ApiClient,
  body: unknown,
  { json, detach }: { json: boolean; detach: boolean },
): Promise<number> {
  const invocation = requireInvocation(body, client.url);
  if (!detach) {
    if (!json) say(colour.dim(`${invocation.id} submitted`));
    return watchInvocation(client, invocation, json);
  }
  if (json) printJson(invocation);
  else {
    print(invocation.id);
    say(colour.dim(`To follow it: ./errand follow ${invocation.id}${client.target.again}`));
  }
  return EXIT.success;
}
