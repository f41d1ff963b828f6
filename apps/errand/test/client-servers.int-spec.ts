import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUICK_START } from '../../../test/support/start-process.js';
import { CommandReader } from './command-reader.js';
import { ROOT } from './every-command.js';
import { outcomeOf, runErrand } from './run-errand.js';

const ID = 'inv_00000000000000000000000000';
const KEY = 'a-secret-key-of-the-user';
/** An escape sequence that clears the screen, in its two spellings, and a character that reverses a line. */
const CONTROLS = '\u001b[2J\u009b2J\u202e';

let folder: string;
const open: { close(): unknown; closeAllConnections?(): void }[] = [];

let reader: CommandReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand servers '));
  reader = await CommandReader.start({ cwd: folder, env: environment() });
});
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});
afterAll(async () => {
  await reader.stop();
  rmSync(folder, { recursive: true });
});

const environment = () => ({ HOME: folder, ERRAND_DATA_DIR: join(folder, 'data'), ERRAND_API_KEY: KEY });
const errand = (...args: string[]) => reader.run(...args);
const startedErrand = (...args: string[]) => runErrand(args, { cwd: folder, env: environment() });

/** Starts a server on loopback. @returns its port */
async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const serve = async (handle: RequestListener) => `http://127.0.0.1:${await listen(createServer(handle))}`;

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const unreachable = (message: RegExp) => ({ status: 3, stdout: '', stderr: expect.stringMatching(message) });

describe('A server that is not Errand', () => {
  it.each<[string, RequestListener, RegExp]>([
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
      /is not Errand: it answers 200 with text\/html/,
    ],
    [
      'an error page of a proxy',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
      /is not Errand: it answers 502 with text\/html/,
    ],
    ['other JSON', (_, response) => answer(response, 200, { ok: true }), /its response is not a list/],
    ['another error', (_, response) => answer(response, 404, { error: 'none' }), /is not Errand: it answers 404/],
    [
      'broken JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":['),
      /is not Errand: it answers 200 with application\/json/,
    ],
    ['a closed connection', (request) => request.socket.destroy(), /closed the connection[^]*use https:\/\//],
  ])('With %s, the command ends with exit code 3 and no stack trace', async (_, handle, message) => {
    const outcome = await errand('list', '--url', await serve(handle));
    expect(outcome).toEqual(unreachable(message));
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  });

  it('A server that accepts and never answers ends the command after --timeout', async () => {
    const port = await listen(
      createTcpServer(() => undefined).on('connection', (socket) => open.push({ close: () => socket.destroy() })),
    );
    const url = `http://127.0.0.1:${port}`;
    for (const args of [['list'], ['follow', ID]])
      expect(await startedErrand(...args, '--url', url, '--timeout', '0.5')).toEqual(
        unreachable(/no response came in time/),
      );
  });

  it('TLS on one side only is explained', async () => {
    const plain = await serve((_, response) => answer(response, 200, { items: [] }));
    expect(await startedErrand('list', '--url', plain.replace('http:', 'https:'))).toEqual(
      unreachable(/use http:\/\//),
    );
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ];
    execFileSync('openssl', [...request, '-keyout', key!, '-out', cert!], { stdio: 'ignore' });
    const port = await listen(createTlsServer({ key: readFileSync(key!), cert: readFileSync(cert!) }));
    expect(await errand('list', '--url', `http://127.0.0.1:${port}`)).toEqual(unreachable(/use https:\/\//));
    expect(await errand('list', '--url', `https://127.0.0.1:${port}`)).toEqual(
      unreachable(/certificate of the server cannot be trusted[^]*NODE_EXTRA_CA_CERTS/),
    );
  });

  it('No redirect is followed, so that the key reaches no other host', async () => {
    const seen: IncomingMessage[] = [];
    const other = await serve((request, response) => {
      seen.push(request);
      answer(response, 200, { items: [], nextCursor: null });
    });
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((request, response) =>
        answer(response, status, {}, { location: `${other}${request.url}` }),
      );
      expect(await errand('list', '--url', url)).toEqual(
        unreachable(new RegExp(`redirects to ${other}[^]*--url=${other}`)),
      );
    }
    expect(seen).toEqual([]);
  });

  it('An unavailable Errand has exit code 3', async () => {
    const url = await serve((_, response) =>
      answer(response, 503, {
        status: 503,
        title: 'Service Unavailable',
        code: 'unavailable',
        detail: 'Redis is away',
      }),
    );
    expect(await errand('list', '--url', url)).toEqual(unreachable(/is unavailable: Redis is away/));
  });
});

describe('A hostile Errand', () => {
  const invocation = {
    id: ID,
    status: 'succeeded',
    steps: [{ index: 0, toolId: `a:b${CONTROLS}`, version: '1', status: 'succeeded' }],
    result: CONTROLS,
    observation: CONTROLS,
  };

  const tool = {
    toolId: 'a:b',
    version: CONTROLS,
    kind: CONTROLS,
    description: CONTROLS,
    parameters: { type: 'object', properties: { [CONTROLS]: { type: 'string', description: CONTROLS } } },
    tags: [CONTROLS],
    source: CONTROLS,
    versions: [CONTROLS],
  };

  it('Its texts cannot control a terminal, and --json has them unchanged', async () => {
    const url = await serve(({ url: path }, response) => {
      if (path?.startsWith('/v1/tools/')) return answer(response, 200, tool);
      if (path?.startsWith('/v1/tools')) return answer(response, 200, { items: [tool], nextCursor: null });
      if (path?.includes('/result'))
        return answer(response, 200, { text: CONTROLS, nextOffset: null, value: CONTROLS });
      if (path?.endsWith('/cancel'))
        return answer(response, 409, { status: 409, title: CONTROLS, code: CONTROLS, detail: CONTROLS });
      if (path?.endsWith(`/${ID}`)) return answer(response, 200, invocation);
      return answer(response, 200, { items: [{ ...invocation, status: CONTROLS }], nextCursor: CONTROLS });
    });
    const lines = [['get', ID], ['list'], ['result', ID], ['cancel', ID], ['tools'], ['tools', 'show', 'a:b']];
    const shownOnTerminal = await onTerminal(lines.map((args) => [...args, '--url', url]));
    expect(shownOnTerminal).toHaveLength(lines.length);
    for (const shown of shownOnTerminal) {
      // The colours of the command itself are the only escape sequences.
      // eslint-disable-next-line no-control-regex
      expect(shown.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u001b\u0080-\u009f\u202e]/);
      expect(shown).toMatch(/2J/);
    }
    expect(JSON.parse((await errand('get', ID, '--json', '--url', url)).stdout)).toEqual(invocation);
    expect((await startedErrand('result', ID, '--url', url)).stdout).toBe(CONTROLS);
  });

  it('A list with the same cursor again and again ends', async () => {
    const url = await serve((_, response) => answer(response, 200, { items: [{ id: ID }], nextCursor: 'again' }));
    const { status, stdout } = await errand('list', '--all', '--json', '--url', url);
    expect({ status, items: (JSON.parse(stdout) as { items: object[] }).items.length }).toEqual({
      status: 0,
      items: 2,
    });
  });

  /** What a terminal would get from each line. `script` gives the commands a terminal. */
  async function onTerminal(lines: readonly (readonly string[])[]): Promise<string[]> {
    const program = [join(__dirname, 'show-lines.mjs'), ROOT, JSON.stringify(lines)];
    const quoted = [process.execPath, ...QUICK_START, ...program].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', quoted, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ERRAND_NO_INSTALL: 'true', TERM: 'xterm', ...environment() },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return (await outcomeOf(child)).stdout.split('\f').slice(0, -1);
  }
});

describe('A stream of events that breaks', () => {
  it('It is continued after the last event, also when the server is away for a time', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      if (!request.url?.endsWith('/events')) return answer(response, 200, { id: ID, status: 'running' });
      asked.push(request.headers['last-event-id'] as string | undefined);
      if (asked.length === 2) return void response.writeHead(502, { 'content-type': 'text/html' }).end('away');
      if (asked.length === 3) return void request.socket.destroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (asked.length === 1)
        return void response.write('id: 1-running\nevent: status\ndata: {"status":"running"}\n\nid: 2\ndata: ha', () =>
          response.destroy(),
        );
      const end = { invocation: { id: ID, status: 'succeeded', steps: [], result: 1 } };
      response.end(`id: 2-end\nevent: end\ndata: ${JSON.stringify(end)}\n\n`);
    });
    const { status, stdout, stderr } = await startedErrand('follow', ID, '--url', url);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Result: 1\n' });
    expect(asked).toEqual([undefined, '1-running', '1-running', '1-running']);
    expect(stderr.match(/broke; continuing/g)).toHaveLength(1);
  });

  it('A refusal or a stream that is not from Errand ends the command', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      if (asked++ > 0)
        return answer(response, 404, { status: 404, title: 'Not Found', code: 'not_found', detail: 'gone' });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('id: 1\nevent: status\ndata: {"status":"running"}\n\n');
    });
    expect(await errand('follow', ID, '--url', url)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('gone'),
    });
    const other = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nevent: other\ndata: [1]\n\n');
    });
    expect(await errand('follow', ID, '--url', other)).toMatchObject(unreachable(/is not Errand: an event 'other'/));
  });
});
