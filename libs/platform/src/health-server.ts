import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

/** Why a process can do its work now, or can't: each named part is `ok` or says what is wrong. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

/**
 * Liveness and readiness of a process that serves nothing else, on loopback: GET /healthz, GET /readyz (503 with the reasons).
 * Port 0 means none is wanted: returns undefined.
 */
export async function serveHealth(port: number, readiness: () => Promise<Readiness>): Promise<Server | undefined> {
  if (port === 0) return undefined;
  const server = createServer((request, response) => {
    void answerTo(request.url, readiness).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function answerTo(url: string | undefined, readiness: () => Promise<Readiness>) {
  if (url === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (url !== '/readyz') return { status: 404, body: { status: 'not found' } };
  const state = await readiness().catch((error: unknown) => readinessOf({ self: String(error) }));
  return { status: state.ready ? 200 : 503, body: state };
}

/** One check as a line: `ok`, or what is wrong. */
export function checkOf(question: Promise<unknown>, complaint: string): Promise<string> {
  return question.then(
    () => 'ok',
    (error: unknown) => `${complaint}: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/** Ready is who passes every check. */
export function readinessOf(checks: Record<string, string>): Readiness {
  return { ready: Object.values(checks).every((result) => result === 'ok'), checks };
}
