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
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/healthz') return void answer(200, { status: 'ok' });
    if (request.url !== '/readyz') return void answer(404, { status: 'not found' });
    void readiness().then(
      (state) => answer(state.ready ? 200 : 503, state),
      (error: unknown) => answer(503, { ready: false, checks: { self: String(error) } }),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
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
