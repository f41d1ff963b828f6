import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './support/client.js';
import { makeCertificate, type Certificate } from './support/make-certificate.js';
import { startCluster, type RedisCluster } from './support/start-cluster.js';
import { Processes } from './support/start-process.js';
import { freePort } from './support/start-redis.js';

let folder: string;
let files: Certificate;
let cluster: RedisCluster;
let processes: Processes;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-tls-'));
  files = makeCertificate(folder);
  cluster = await startCluster(tlsSettings(files), { tls: { ca: readFileSync(files.certificate) } });
});
beforeEach(() => (processes = new Processes({ ERRAND_DATA_DIR: join(folder, 'data') })));
afterEach(() => processes.endAll());
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

function tlsSettings({ key, certificate }: Certificate): Record<string, string> {
  return {
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': certificate,
    'tls-auth-clients': 'no',
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
    requirepass: 'hunter2',
    masterauth: 'hunter2',
  };
}

/** The processes read their authorities when they start. */
const env = (url: string) => ({ ERRAND_REDIS_URL: url, NODE_EXTRA_CA_CERTS: files.certificate });
const withPassword = (url: string) => url.replace(/^redis/, 'rediss').replace('://', '://:hunter2@');

describe('Errand on a Cluster with TLS', () => {
  it.each([
    ['the address of the Cluster', () => withPassword(cluster.url)],
    ['the plain address of a node', () => `rediss://:hunter2@localhost:${cluster.nodes[4]?.port}`],
  ])('The processes work with %s', async (_name, urlOf) => {
    const url = urlOf();
    const port = String(await freePort());
    await processes.start('api', { ...env(url), ERRAND_PORT: port });
    await processes.start('worker', env(url));
    const client = new Client(`http://127.0.0.1:${port}`);
    expect(await client.invoke({ toolId: 'core:echo', arguments: { value: 7 } })).toMatchObject({ result: 7 });
    expect(await client.get('/readyz')).toMatchObject({ status: 200 });
  });

  it('A certificate of an unknown authority stops the boot with the reason, and without the password', async () => {
    const start = processes.start('worker', { ERRAND_REDIS_URL: withPassword(cluster.url) });
    const message = await start.then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(message).toMatch(/no node of the Redis Cluster answers: 127\.0\.0\.1:\d+: self-signed certificate/);
    expect(message).not.toContain('hunter2');
  });
});
