import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const { Webhook } = createRequire(import.meta.url)('standardwebhooks');

/** A receiver of callbacks. It verifies each one and refuses every fifth, so that some are retried. It stores them by webhook-id. */
export async function startReceiver(secret) {
  const webhook = new Webhook(secret);
  const taken = new Map();
  let [seen, forged] = [0, 0];
  const judge = (body, headers) => {
    const message = verify(webhook, body, headers);
    if (!message) forged++;
    else if (++seen % 5 === 0) return 503;
    else note(taken, headers['webhook-id'], message);
    return 204;
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => response.writeHead(judge(body, request.headers)).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** By webhook-id: the time of each accepted delivery (`at`), and the invocation in it (`data`). */
    taken,
    forged: () => forged,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

function verify(webhook, body, headers) {
  try {
    return webhook.verify(body, headers);
  } catch {
    return undefined;
  }
}

function note(taken, id, { data }) {
  taken.set(id, [...(taken.get(id) ?? []), { at: Date.now(), data }]);
}
