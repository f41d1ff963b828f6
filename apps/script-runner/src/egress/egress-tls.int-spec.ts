import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { EgressProxy, parseEgressPolicy, PROXY_ENVIRONMENT, readAllowHosts } from './index.js';

const MEGABYTE = 1024 * 1024;

/** A self-signed certificate for `api.example`. */
function selfSigned(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'errand-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=errand test'];
  try {
    const names = ['-addext', 'subjectAltName=DNS:api.example'];
    execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Gets `{url, ca, size}` on stdin, posts `size` bytes, and prints the response or the reason of the failure. */
const CLIENTS = {
  python: `
import json, ssl, sys, urllib.request
wanted = json.load(sys.stdin)
context = ssl.create_default_context(cadata=wanted.get("ca"))
try:
    with urllib.request.urlopen(wanted["url"], b"x" * wanted["size"], context=context) as answer:
        print(json.dumps(answer.read().decode()))
except OSError as error:
    print(json.dumps({"refused": str(error)}))`,
  bun: `
const { url, ca, size } = await Bun.stdin.json();
try {
  const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(size), ...(ca && { tls: { ca } }) });
  console.log(JSON.stringify(await answer.text()));
} catch (error) {
  console.log(JSON.stringify({ refused: String(error.code) }));
}`,
};

describeWithDocker('TLS through the proxy', () => {
  const real = new RealSandbox();
  let web: Server;
  let ca: string;
  let port: number;
  let proxy: EgressProxy;

  beforeAll(async () => {
    await real.require();
    const { key, cert } = selfSigned();
    ca = cert;
    web = createServer({ key, cert }, (request, response) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      const { servername: name } = request.socket as TLSSocket;
      request.on('end', () => response.end(`${name} ${hash.digest('hex').slice(0, 8)}`));
    });
    web.on('tlsClientError', () => {}); // clients that do not trust the certificate disconnect
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

  async function post(language: 'python' | 'bun', wish: { ca?: string; size: number }) {
    const connections: object[] = [];
    const connect = proxy.open({
      invocationId: 'inv_1',
      toolId: 'web:post',
      hosts: readAllowHosts('web:post', [`api.example:${port}`]),
      maxBytes: 64 * MEGABYTE,
      maxConnections: 10,
      onConnect: (connection) => connections.push(connection),
    });
    const input = { url: `https://api.example:${port}/`, ...wish };
    const { result, error } = await real.attempt(language, CLIENTS[language], {
      connect,
      env: PROXY_ENVIRONMENT,
      input,
    });
    expect(error).toBeUndefined();
    return { result, connections };
  }

  describe.each(['python', 'bun'] as const)('Scripts in %s', (language) => {
    it('TLS is end to end: the script gets the certificate of the host, and the host gets the server name and every byte', async () => {
      const sent = createHash('sha256').update('x'.repeat(2 * MEGABYTE)).digest('hex').slice(0, 8); // prettier-ignore
      expect(await post(language, { ca, size: 2 * MEGABYTE })).toEqual({
        result: `api.example ${sent}`,
        connections: [{ host: 'api.example', port }],
      });
    });

    it('A script refuses a certificate that it does not trust', async () => {
      const { result } = await post(language, { size: 1 });
      expect(result).toEqual({ refused: expect.stringMatching(/self.signed/i) });
    });
  });
});
