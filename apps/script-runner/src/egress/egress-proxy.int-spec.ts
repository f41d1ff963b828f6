import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type RequestOptions, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { parseEgressPolicy } from './egress-policy.js';
import { EgressProxy, type EgressGrant } from './egress-proxy.js';
import { parseHostPattern } from './host-pattern.js';
import { splitFrames, type TunnelFrame } from './tunnel-frames.js';
import { Tunnel, WINDOW } from './tunnel.js';
import { MAX_OPEN, Tunnels } from './tunnels.js';

const resolve = async (host: string) => {
  if (host === 'nowhere.example') throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
  return [{ address: host === 'inside.example' ? '10.0.0.1' : '127.0.0.1', family: 4 }];
};

describe('EgressProxy', () => {
  let web: Server;
  let echo: TcpServer;
  let webPort: number;
  let echoPort: number;
  let proxy: EgressProxy;
  let connections: object[];

  beforeAll(async () => {
    web = createServer((asked, response) => response.end(`${asked.method} ${asked.headers.host}${asked.url}`));
    echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket));
    for (const server of [web, echo]) await once(server.listen(0, '127.0.0.1'), 'listening');
    webPort = (web.address() as AddressInfo).port;
    echoPort = (echo.address() as AddressInfo).port;
    const policy = parseEgressPolicy([`*:${webPort}`, `*:${echoPort}`, '127.0.0.0/8']);
    proxy = new EgressProxy(policy, resolve);
  });
  afterAll(() => {
    proxy.close();
    web.close();
    echo.close();
  });
  beforeEach(() => void (connections = []));

  /** The side of the sandbox: opens connections like a supervisor. Each connection is a stream. */
  function sandbox(grant: Partial<EgressGrant> = {}) {
    const ends = new Map<number, Tunnel>();
    const told: TunnelFrame[] = [];
    const fromRunner = splitFrames(
      (frame, bytes) => {
        told.push(frame);
        const end = ends.get(frame.tunnel);
        if ('bytes' in frame) end?.receive(bytes);
        if ('taken' in frame) end?.receiveTaken(frame.taken);
        if ('end' in frame) end?.receiveEnd();
        if ('close' in frame) end?.receiveClose();
      },
      () => {},
    );
    const accept = proxy.open({
      invocationId: 'inv_1',
      toolId: 'web:fetch',
      hosts: [`*.example:${webPort}`, `*.example:${echoPort}`].map(parseHostPattern),
      maxBytes: 10_000_000,
      maxConnections: 100,
      onConnect: (connection) => connections.push(connection),
      ...grant,
    });
    const tunnels = new Tunnels(fromRunner, accept);
    const tell = (frame: Parameters<Tunnels['receive']>[0], bytes: Buffer = Buffer.alloc(0)) =>
      tunnels.receive(frame, bytes);
    const connect = (): Tunnel => {
      const tunnel = ends.size + 1;
      const end = new Tunnel({
        data: (bytes) => tell({ tunnel, bytes: bytes.length }, bytes),
        taken: (taken) => tell({ tunnel, taken }),
        end: () => tell({ tunnel, end: true }),
        close: () => tell({ tunnel, close: true }),
      });
      ends.set(tunnel, end);
      tell({ tunnel, open: true });
      return end;
    };
    return { connect, tunnels, told };
  }

  const ask = async (options: RequestOptions, connect: () => Duplex) => {
    const sent = request({ ...options, createConnection: () => connect() }).end();
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, body: await text(response) };
  };
  const get = (url: string, connect: () => Duplex) => ask({ path: url, headers: { host: new URL(url).host } }, connect);

  /** A CONNECT to the echo server. @returns the stream after the response; rejects if the proxy refuses */
  async function tunnelTo(target: string, connect: () => Tunnel): Promise<Duplex> {
    const sent = request({ method: 'CONNECT', path: target, createConnection: connect }).end();
    const [response, stream, head] = await once(sent, 'connect');
    stream.unshift(head);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await text(stream)}`);
    return stream;
  }

  it('Plain HTTP reaches a host that only the proxy can resolve, and the connection is reported', async () => {
    const { connect } = sandbox();
    const url = `http://api.example:${webPort}/a?b=c`;
    expect(await get(url, connect)).toEqual({ status: 200, body: `GET api.example:${webPort}/a?b=c` });
    expect(connections).toEqual([{ host: 'api.example', port: webPort }]);
  });

  it('CONNECT passes 20 windows of bytes in both directions at once', async () => {
    const stream = await tunnelTo(`db.example:${echoPort}`, sandbox().connect);
    const sent = Buffer.alloc(20 * WINDOW + 7, 'äöü€');
    stream.end(sent);
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(sha256(await buffer(stream))).toBe(sha256(sent));
  });

  it('A host that is not allowed is refused at once with 403, and only the operator gets the hint', async () => {
    const { connect } = sandbox();
    const { status, body } = await get(`http://api.other:${webPort}/`, connect);
    expect({ status, body }).toEqual({
      status: 403,
      body: expect.stringMatching(/^web:fetch may not reach api\.other:\d+: [^.]+\.\n$/),
    });
    await expect(tunnelTo(`inside.example:${echoPort}`, connect)).rejects.toThrow(/403: .*10\.0\.0\.1 is not public/);
    await expect(tunnelTo(`nowhere.example:${echoPort}`, connect)).rejects.toThrow(/502: .*ENOTFOUND/);
    expect(connections).toEqual([
      {
        host: 'api.other',
        port: webPort,
        refused: body.trim(),
        hint: expect.stringContaining('allowHosts of the tool'),
      },
      {
        host: 'inside.example',
        port: echoPort,
        refused: expect.any(String),
        hint: expect.stringContaining('ERRAND_EGRESS_ALLOW'),
      },
      { host: 'nowhere.example', port: echoPort, refused: expect.any(String) },
    ]);
  });

  it('All connections of a run end when it exceeds its byte limit, and those of other runs stay open', async () => {
    const other = await tunnelTo(`db.example:${echoPort}`, sandbox().connect);
    const { connect } = sandbox({ maxBytes: 100_000 });
    const [one, two] = [
      await tunnelTo(`db.example:${echoPort}`, connect),
      await tunnelTo(`db.example:${echoPort}`, connect),
    ];
    const ended = Promise.all([once(one, 'close'), once(two, 'close')]);
    two.resume();
    one.resume().write(Buffer.alloc(200_000));
    await ended;
    expect(connections.at(-1)).toMatchObject({ refused: expect.stringContaining('more than its 100000 bytes') });
    other.end('still here');
    expect(await text(other)).toBe('still here');
  });

  it('A run cannot open more connections than its limits in all and at once', async () => {
    const few = sandbox({ maxConnections: 1 });
    const url = `http://api.example:${webPort}/`;
    expect(await get(url, few.connect)).toMatchObject({ status: 200 });
    expect(await get(url, few.connect)).toMatchObject({
      status: 429,
      body: expect.stringContaining('its 1 connections'),
    });
    const many = sandbox();
    const streams = Array.from({ length: MAX_OPEN + 1 }, () => many.connect().resume());
    await once(streams.at(-1)!, 'close');
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([...Array<boolean>(MAX_OPEN).fill(false), true]);
  });

  it('A connection is closed when its sender exceeds the window', async () => {
    const { tunnels, told } = sandbox({ hosts: [] });
    const window = Buffer.alloc(WINDOW);
    tunnels.receive({ tunnel: 1, open: true }, Buffer.alloc(0));
    // Both windows arrive in one turn of the event loop, before anything can be read.
    for (const bytes of [window, window]) tunnels.receive({ tunnel: 1, bytes: WINDOW }, bytes);
    expect(told).toContainEqual({ tunnel: 1, close: true });
  });

  it('The connections of a run are closed when the run ends', async () => {
    const { connect, tunnels } = sandbox();
    const arrived = once(echo, 'connection');
    await tunnelTo(`db.example:${echoPort}`, connect);
    const [far] = await arrived;
    const closed = once(far, 'close');
    tunnels.close();
    await closed;
  });
});
