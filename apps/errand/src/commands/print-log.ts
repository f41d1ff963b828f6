import { isObject, type InvocationEvent, type LogPage } from '@errand/contracts';
import { EXIT, UnreachableError } from '../client/client-errors.js';
import { followInvocation } from '../client/follow-invocation.js';
import { invocationPath } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { onInterrupt } from '../client/watch-invocation.js';
import { escapeControls, print, printJson } from '../terminal.js';
import { readStep } from '../read-input.js';

interface Options extends ClientOptions {
  step?: string;
  follow?: true;
}

type LogLine = Pick<Extract<InvocationEvent, { event: 'log' }>, 'line' | 'stream' | 'step'>;

/** `./errand logs <id>`: prints what the scripts and nodes of an invocation logged; with --follow, until it ends. */
export const run = clientCommand<Options>(async (client, { options: { step, follow, json }, words: [id = ''] }) => {
  const path = invocationPath(id);
  const only = step === undefined ? undefined : readStep(step);
  const show = (line: LogLine) => (json ? printJson(line) : print(escapeControls(line.line)));
  if (!follow) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const query: Record<string, string> = {
        ...(after !== '' && { after }),
        ...(only !== undefined && { step: String(only) }),
      };
      const page = readPage(await client.get<unknown>(`${path}/logs`, query), client.url);
      for (const line of page.items) show(line);
      after = page.nextCursor ?? undefined;
    }
    return EXIT.success;
  }
  const leave = onInterrupt(client, id);
  try {
    for await (const event of followInvocation(client, id))
      if (event.event === 'log' && (only === undefined || event.step === only)) show(event);
    return EXIT.success;
  } finally {
    leave();
  }
});

function readPage(body: unknown, url: string): LogPage {
  if (isObject(body) && Array.isArray(body.items)) return body as unknown as LogPage;
  throw new UnreachableError(`The server at ${url} is not Errand: its response is not a log`, 'check the address');
}
