import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { EgressProxy, parseEgressPolicy, PROXY_ENVIRONMENT, readAllowHosts, type EgressGrant } from './index.js';

const MEGABYTE = 1024 * 1024;

describeWithDocker('Network access of a script in a real sandbox', () => {
  const real = new RealSandbox();
  let web: Server;
  let port: number;
  let proxy: EgressProxy;

  beforeAll(async () => {
    await real.require();
    web = createServer((request, response) => {
      const big = Buffer.alloc(3 * MEGABYTE, 'big');
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      const said = () => `${request.method} ${hash.digest('hex').slice(0, 8)}`;
      request.on('end', () => response.end(request.url === '/big' ? big : said()));
    });
    await once(web.listen(0, '127.0.0.1'), 'listening');
    port = (web.address() as AddressInfo).port;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    proxy = new EgressProxy(parseEgressPolicy([`*.example:${port}`, '127.0.0.0/8']), resolve);
  });
  afterAll(async () => {
    proxy.close();
    web.close();
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  async function attempt(language: 'python' | 'bun', source: string, grant: Partial<EgressGrant> = {}, reuse?: string) {
    let container: string | undefined;
    const connections: { host: string; port: number; refused?: string }[] = [];
    const connect = proxy.open({
      invocationId: 'inv_1',
      toolId: 'web:fetch',
      hosts: readAllowHosts('web:fetch', [`*.example:${port}`, '*.other']),
      maxBytes: 64 * MEGABYTE,
      maxConnections: 100,
      onConnect: (connection) => connections.push(connection),
      ...grant,
    });
    const attempted = await real.attempt(language, source, {
      connect,
      env: PROXY_ENVIRONMENT,
      onContainer: (id) => (container = id),
      ...(reuse && { reuse: `${reuse} ${language}` }),
    });
    return { ...attempted, connections, container };
  }

  const python = {
    language: 'python' as const,
    get: (url: string) =>
      `import json, urllib.request\nprint(json.dumps(urllib.request.urlopen("${url}").read().decode()))`,
    post: (url: string, size: number) =>
      `import json, urllib.request\nprint(json.dumps(urllib.request.urlopen("${url}", b"x" * ${size}).read().decode()))`,
    size: (url: string) =>
      `import concurrent.futures as f, json, urllib.request\nget = lambda _: len(urllib.request.urlopen("${url}").read())\nprint(json.dumps(list(f.ThreadPoolExecutor(5).map(get, range(5)))))`,
    status: (url: string) =>
      `import json, urllib.request\ntry: urllib.request.urlopen("${url}")\nexcept Exception as e: print(json.dumps([getattr(e, "code", str(e)), e.read().decode() if hasattr(e, "read") else ""]))`,
    straight:
      'import json, socket, time\nt = time.time()\ntry:\n  socket.create_connection(("93.184.216.34", 80))\nexcept OSError as e:\n  print(json.dumps([e.strerror, time.time() - t < 1]))',
  };
  const bun = {
    language: 'bun' as const,
    get: (url: string) => `console.log(JSON.stringify(await (await fetch("${url}")).text()))`,
    post: (url: string, size: number) =>
      `console.log(JSON.stringify(await (await fetch("${url}", { method: "POST", body: "x".repeat(${size}) })).text()))`,
    size: (url: string) =>
      `const get = async () => (await (await fetch("${url}")).arrayBuffer()).byteLength;\nconsole.log(JSON.stringify(await Promise.all(Array.from({ length: 5 }, get))))`,
    status: (url: string) =>
      `const r = await fetch("${url}").catch((e) => ({ status: String(e.message), text: () => "" }));\nconsole.log(JSON.stringify([r.status, await r.text()]))`,
    straight:
      'const t = performance.now();\ntry { await Bun.connect({ hostname: "93.184.216.34", port: 80, socket: { data() {} } }); } catch (e) { console.log(JSON.stringify([e.code, performance.now() - t < 1000])); }',
  };

  describe.each([python, bun])('Scripts in $language', (script) => {
    const url = (path: string) => `http://api.example:${port}${path}`;

    it('A script reaches an allowed host by a name that only the proxy can resolve', async () => {
      expect(await attempt(script.language, script.get(url('/')))).toMatchObject({
        result: expect.stringMatching(/^GET /),
        connections: [{ host: 'api.example', port }],
      });
    });

    it('Several connections at once transfer megabytes in both directions without loss', async () => {
      const hash = createHash('sha256')
        .update('x'.repeat(2 * MEGABYTE))
        .digest('hex')
        .slice(0, 8);
      expect(await attempt(script.language, script.post(url('/'), 2 * MEGABYTE))).toMatchObject({
        result: `POST ${hash}`,
      });
      expect(await attempt(script.language, script.size(url('/big')))).toMatchObject({
        result: Array(5).fill(3 * MEGABYTE),
      });
    });

    it('A connection to a host that is not allowed is refused at once with an explanation', async () => {
      const { result, connections } = await attempt(script.language, script.status('http://api.other/'));
      expect(result).toEqual([403, expect.stringMatching(/^web:fetch may not reach api\.other:80: this installation/)]);
      expect(connections).toMatchObject([{ host: 'api.other', port: 80, refused: expect.any(String) }]);
      const secure = await attempt(script.language, script.status('https://api.other/'));
      expect(secure.connections).toMatchObject([{ host: 'api.other', port: 443, refused: expect.any(String) }]);
    });

    it('A connection past the proxy fails at once', async () => {
      const unreachable = { python: 'Network is unreachable', bun: expect.any(String) }[script.language];
      expect((await attempt(script.language, script.straight)).result).toEqual([unreachable, true]);
    });

    it('A script without network access cannot connect', async () => {
      const { result } = await real.attempt(script.language, script.status(url('/')), { env: PROXY_ENVIRONMENT });
      expect(result).toEqual([expect.stringMatching(/refused|connect/i), '']);
    });

    it('A run gets no data of the connections of an earlier run in the same container', async () => {
      // The script ends before all data of its connection has arrived.
      const leaves = {
        python: 'import json, urllib.request\nurllib.request.urlopen("URL").read(1)\nprint("1")',
        bun: 'const r = await fetch("URL");\nawait r.body.getReader().read();\nconsole.log("1"); process.exit()',
      };
      const source = leaves[script.language].replace('URL', url('/big'));
      let last: string | undefined;
      let reused = 0;
      // A container may be replaced on a busy machine, so this repeats until 7 runs had the container of the run before.
      for (let runs = 0; reused < 7 && runs < 40; runs++) {
        const run = await attempt(script.language, source, {}, 'egress');
        // Data of the earlier run's connection would make the response of this run invalid.
        expect(run).toMatchObject({ result: 1, log: [], connections: [{ host: 'api.example', port }] });
        if (run.container === last) reused++;
        last = run.container;
      }
      expect(reused).toBeGreaterThan(0);
    });

    it('The connections of a script end with it', async () => {
      const ended = once(web, 'connection').then(([socket]) => once(socket, 'close'));
      await attempt(script.language, script.get(url('/')));
      await ended;
    });
  });
});
