import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  EgressProxy,
  parseEgressPolicy,
  PROXY_ENVIRONMENT,
  readAllowHosts,
} from '../../apps/script-runner/src/egress/index.js';
import { describeWithDocker, RealSandbox } from './real-sandbox.js';
import { memoryHeld } from '../support/memory-held.js';

/** The script may connect to this address. No server listens there. */
const NOBODY = '127.0.0.3';

/**
 * Attacks through the network. The tool and the operator allow the script every host (`*`) and every port that it
 * tries.
 * The proxy itself must refuse every address that is not public, in any spelling and behind any name. No way around the
 * proxy may exist.
 */
describeWithDocker('Attacks through the network', () => {
  const real = new RealSandbox();
  let host: Server;
  let port: number;
  let proxy: EgressProxy;
  let reached: string[];

  beforeAll(async () => {
    await real.require();
    // A server that listens on all addresses of the host, like a service that its operator has forgotten.
    host = createServer(({ url = '' }, response) => {
      reached.push(url);
      response.end('inside');
    });
    await once(host.listen(0), 'listening');
    port = (host.address() as AddressInfo).port;
    let asked = 0;
    const resolve = async (name: string) => {
      if (name === 'rebind.example') return [{ address: asked++ === 0 ? NOBODY : '127.0.0.1', family: 4 }];
      const address = {
        'inside.example': '127.0.0.1',
        'mapped.example': '::ffff:127.0.0.1',
        'meta.example': '169.254.169.254',
      }[name];
      return [{ address: address ?? '127.0.0.1', family: address?.includes(':') ? 6 : 4 }];
    };
    proxy = new EgressProxy(parseEgressPolicy(['*', `*:${port}`, '*:1', `${NOBODY}/32`]), resolve);
  });
  beforeEach(() => void (reached = []));
  afterAll(async () => {
    host.closeAllConnections();
    host.close();
    proxy.close();
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  function attack(source: string, input: object = {}, maxConnections = 10_000) {
    const connect = proxy.open({
      invocationId: 'inv_test',
      toolId: 'test:script',
      hosts: readAllowHosts('test:script', ['*', `*:${port}`, '*:1']),
      maxBytes: 10_000_000,
      maxConnections,
      onConnect: () => {},
    });
    const spec = { connect, env: PROXY_ENVIRONMENT, input: { port, ...input }, limits: { timeoutMs: 30_000 } };
    return real.attempt('python', source, spec);
  }

  /** Sends CONNECT and a plain request to each target over a raw socket, without an HTTP library. */
  const TRY_ALL = `
import json, socket, sys
request = json.load(sys.stdin)
def ask(text):
    with socket.create_connection(("127.0.0.1", 3128), 5) as s:
        s.settimeout(10)
        s.sendall(text.replace("\\n", "\\r\\n").encode())
        try:
            return s.recv(4096).split(b"\\r\\n")[0].decode()
        except OSError as error:
            return str(error)
answers = {}
for target in request["targets"]:
    at = target if target.endswith("]") or ":" not in target.strip("[]") else f"[{target}]"
    answers[target] = [ask(f"CONNECT {at}:{request['port']} HTTP/1.1\\nHost: x\\n\\n"), ask(f"GET http://{at}:{request['port']}/{target} HTTP/1.1\\nHost: x\\nConnection: close\\n\\n")]
print(json.dumps(answers))`;

  it('A script reaches no address that is not public, in any spelling', async () => {
    const targets = [
      '127.0.0.1',
      'localhost',
      '0',
      '0.0.0.0',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '[::1]',
      '[::]',
    ];
    targets.push('[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '①②⑦.0.0.1', '127.0.0.1.', '172.17.0.1', '169.254.169.254');
    targets.push('inside.example', 'mapped.example', 'meta.example', 'INSIDE.example.');
    const { result, error } = await attack(TRY_ALL, { targets });
    expect(error).toBeUndefined();
    for (const [target, answers] of Object.entries(result as Record<string, string[]>)) {
      for (const answer of answers) expect(`${target}: ${answer}`).toMatch(/: HTTP\/1\.1 4\d\d /);
    }
    expect(reached).toEqual([]);
  });

  it('The proxy dials the address that it checked, even if the name resolves to another one later', async () => {
    const { result } = await attack(TRY_ALL, { targets: ['rebind.example'], port: 1 });
    const [first, second] = (result as Record<string, string[]>)['rebind.example']!;
    // The first request went to the allowed address, where no server listens. The second request was refused.
    expect(first).not.toMatch(/ 200 /);
    expect(second).toMatch(/ 403 /);
    expect(reached).toEqual([]);
  });

  it('A script finds no other network interface and reaches no host through one', async () => {
    const { result } = await attack(`
import json, socket
reached = []
for address in ["172.17.0.1", "10.0.0.1", "192.168.0.1", "169.254.169.254", "8.8.8.8"]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        s = socket.socket(socket.AF_INET, kind)
        s.settimeout(2)
        try:
            s.connect((address, 53))
            s.send(b"x")
            reached.append(address)
        except OSError:
            pass
names = [name for _, name in socket.if_nameindex()]
print(json.dumps([reached, [n for n in names if n != "lo" and not n.startswith(("tunl", "ip6", "sit", "gre", "erspan", "ip_vti"))]]))`);
    expect(result).toEqual([[], []]);
  });

  it('The proxy refuses smuggled, malformed and endless requests', async () => {
    const { result, error } = await attack(
      `
import json, socket, sys
port = json.load(sys.stdin)["port"]
texts = [
    f"GET http://127.0.0.3:1/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://127.0.0.1:{port}/smuggled HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
    f"GET /direct HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n",
    f"CONNECT 127.0.0.1:{port}@127.0.0.3:1 HTTP/1.1\\r\\n\\r\\n",
    f"CONNECT 127.0.0.3:1#127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n",
    f"GET http://user:password@127.0.0.1:{port}/user HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
    f"GET file:///etc/passwd HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n",
    "GET " + "x" * 100000 + " HTTP/1.1\\r\\n\\r\\n",
    "\\x00\\x01\\x02" * 1000,
]
answers = []
for text in texts:
    with socket.create_connection(("127.0.0.1", 3128), 5) as s:
        s.settimeout(3)
        try:
            s.sendall(text.encode())
            answers.append(s.recv(4096)[:12].decode("latin1"))
        except OSError as error:
            answers.append(str(error))
print(json.dumps(answers))`,
    );
    expect(error).toBeUndefined();
    expect(reached).toEqual([]);
    expect(JSON.stringify(result)).not.toMatch(/ 200/);
  });

  it('A script with 200 open connections does not make the runner hold more than 100 MiB', async () => {
    const before = memoryHeld();
    const { result, error } = await attack(`
import json, socket
opened = []
for _ in range(200):
    s = socket.create_connection(("127.0.0.1", 3128), 5)
    s.settimeout(1)
    try:
        s.sendall(b"GET http://" + b"a" * 60000)
    except OSError:
        pass
    opened.append(s)
print(json.dumps(len(opened)))`);
    expect({ result, error }).toEqual({ result: 200 });
    expect(memoryHeld() - before).toBeLessThan(100 * 1024 * 1024);
  });
});
