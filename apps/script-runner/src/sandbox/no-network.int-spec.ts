import type { Language } from '@errand/contracts';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';

const SCRIPTS: [Language, string, string][] = [
  ['python', 'resolve', 'import socket\nsocket.getaddrinfo("api.example", 80)'],
  ['python', 'connect', 'import socket\nsocket.create_connection(("10.0.0.1", 80), 5)'],
  ['python', 'connect to a closed port', 'import socket\nsocket.create_connection(("127.0.0.1", 80), 5)'],
  ['python', 'urlopen', 'import urllib.request\nurllib.request.urlopen("https://api.example/")'],
  ['python', 'http.client', 'import http.client\nhttp.client.HTTPSConnection("10.0.0.1").request("GET", "/")'],
  ['python', 'asyncio', 'import asyncio\nasyncio.run(asyncio.open_connection("api.example", 80))'],
  [
    'python',
    'a custom error',
    'import urllib.request\ntry:\n    urllib.request.urlopen("http://api.example/")\nexcept OSError as error:\n    raise RuntimeError("no weather today") from error',
  ],
  [
    'python',
    'sys.exit with a text',
    'import sys, urllib.request\ntry:\n    urllib.request.urlopen("http://api.example/")\nexcept OSError as error:\n    sys.exit(f"could not fetch: {error}")',
  ],
  ['bun', 'fetch a name', 'await fetch("https://api.example/");'],
  ['bun', 'fetch an address', 'await fetch("http://10.0.0.1/");'],
  ['bun', 'fetch a closed port', 'await fetch("http://127.0.0.1:81/");'],
  ['bun', 'node:dns', 'import { promises } from "node:dns";\nawait promises.lookup("api.example");'],
  [
    'bun',
    'node:http',
    'import { get } from "node:http";\nawait new Promise((resolve, reject) => get("http://api.example/", resolve).on("error", reject));',
  ],
  [
    'bun',
    'node:net',
    'import { connect } from "node:net";\nawait new Promise((resolve, reject) => connect(80, "10.0.0.1", resolve).on("error", reject));',
  ],
  ['bun', 'Bun.connect', 'await Bun.connect({ hostname: "10.0.0.1", port: 80, socket: { data() {} } });'],
  ['nodejs', 'fetch a name', 'fetch("https://api.example/").then(console.log);'],
];

/** A script that connects to a server of its own by name, and prints the network interfaces that it sees. */
const OWN_SERVER: [Language, string][] = [
  [
    'python',
    `import json, os, socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(("localhost", server.getsockname()[1]), 5)
print(json.dumps([os.listdir("/sys/class/net"), server.accept()[1][0]]))`,
  ],
  [
    'bun',
    `import { readdirSync } from "node:fs";
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request, server) => new Response(server.requestIP(request).address) });
const address = await (await fetch("http://localhost:" + server.port)).text();
console.log(JSON.stringify([readdirSync("/sys/class/net"), address]));
process.exit();`,
  ],
];

describeWithDocker('A script without network access', () => {
  const real = new RealSandbox({ pool: { min: 1, max: 4, maxAgeMs: 600_000 } });
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  it.each(SCRIPTS)(
    'The error of %s, %s keeps its type and says that the tool has no network access',
    async (language, _, source) => {
      const { error } = await real.attempt(language, source);
      expect(error).toMatchObject({
        type: 'ScriptError',
        message: expect.stringMatching(/.+; this tool has no network access$/s),
      });
      expect(JSON.stringify(error?.toFailure())).not.toMatch(/ERRAND_|securityContext/);
    },
  );

  it.each(OWN_SERVER)(
    'A %s script reaches its own server at localhost, and has no other network',
    async (language, source) => {
      const { result } = await real.attempt(language, source);
      expect(result).toEqual([['lo'], '127.0.0.1']);
    },
  );

  it('A failure that is not about the network does not mention it', async () => {
    for (const [language, source] of [
      ['python', 'raise KeyError("gone")'],
      ['bun', 'throw new Error("gone")'],
    ] as const) {
      const { error } = await real.attempt(language, source);
      expect(error?.message).not.toContain('network');
    }
  });

  it('The error of a script with network access does not say that it has none', async () => {
    const { error } = await real.attempt('python', 'import socket\nsocket.create_connection(("10.0.0.1", 80), 5)', {
      connect: (tunnel) => void tunnel.destroy(),
    });
    expect(error?.message).toContain('Network is unreachable');
    expect(error?.message).not.toContain('no network access');
  });
});
