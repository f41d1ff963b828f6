import { chmod, mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Invocation } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { PackageIndex } from '../apps/script-runner/test/package-index.js';
import { describeWithDocker, RealSandbox } from './escapes/real-sandbox.js';
import { until } from './escapes/until.js';
import { Stack } from './support/start-stack.js';
import { writeFiles, type Files } from './support/write-files.js';

const SECRET = 's3cret/wörd+9';

/** By tool id: additional fields of its tool file, and the files of its script. */
const TOOLS: Record<string, { wishes: object; files: Record<string, string> }> = {
  'web:get': {
    wishes: {
      securityContext: { networkAccess: { allowHosts: ['127.0.0.2:PORT', '*.example'] }, secrets: ['API_KEY'] },
    },
    files: {
      'main.py': `
import base64, json, os, sys, urllib.request
key = os.environ["API_KEY"]
print("calling with " + key, file=sys.stderr)
request = urllib.request.Request(json.load(sys.stdin)["url"], headers={"authorization": base64.b64encode(key.encode()).decode()})
try:
    answer = urllib.request.urlopen(request).read().decode()
except Exception as error:
    answer = error.read().decode()
print(json.dumps({"answer": answer, "key": key, "other": sorted(k for k in os.environ if "SECRET" in k)}))`,
    },
  },
  'web:forbidden': {
    wishes: { securityContext: { secrets: ['API_KEY'] } },
    files: { 'main.py': 'print(1)' },
  },
  'files:copy': {
    wishes: { securityContext: { fileAccess: { allowRead: ['reports'], allowWrite: ['scratch'] } } },
    files: {
      'main.py': `
import json, shutil
shutil.copy("/data/reports/a.txt", "/data/scratch/b.txt")
try:
    open("/data/reports/c.txt", "w")
except OSError as error:
    print(json.dumps([open("/data/scratch/b.txt").read(), error.strerror]))`,
    },
  },
  'pack:wonder': {
    wishes: {},
    files: {
      'main.py': 'import json, wonder\nprint(json.dumps(wonder.word))',
      'requirements.txt': `# ${process.pid} ${Date.now()}\nwonder\n`,
    },
  },
  'pack:missing': {
    wishes: {},
    files: { 'main.py': 'print(1)', 'requirements.txt': 'there-is-no-such-package\n' },
  },
  'art:make': {
    wishes: {},
    files: {
      'main.py': `
import json, os, sys
names = sorted(os.listdir(os.environ["ERRAND_IN"]))
texts = [open(os.path.join(os.environ["ERRAND_IN"], name)).read() for name in names]
os.makedirs(os.environ["ERRAND_OUT"] + "/charts")
open(os.environ["ERRAND_OUT"] + "/charts/x<1>.html", "w").write("<script>alert(1)</script>")
open(os.environ["ERRAND_OUT"] + "/ümlaut.csv", "w").write("a,b\\n")
try:
    open(os.path.join(os.environ["ERRAND_IN"], "new"), "w")
except OSError as error:
    print(json.dumps([names, texts, error.strerror]))`,
    },
  },
};

describeWithDocker('Access of scripts beyond the sandbox', () => {
  const real = new RealSandbox();
  let stack: Stack;
  let web: Server;
  let index: PackageIndex;
  let url: string;

  beforeAll(async () => {
    index = await PackageIndex.open();
    await index.addWheel(real, 'wonder', { 'wonder.py': 'word = "marvellous"\n' });
    web = createServer(({ headers }, response) => response.end(`you are ${headers.authorization}`));
    await once(web.listen(0, '127.0.0.2'), 'listening');
    const { port } = web.address() as AddressInfo;
    url = `http://127.0.0.2:${port}/`;
    stack = new Stack({ library: libraryFor(port) });
    await stack.open();
    writeFiles(stack.folder, {
      'secrets/API_KEY': `${SECRET}
`,
      'data/files/reports/a.txt': 'a report',
    });
    const scratch = join(stack.folder, 'data/files/scratch');
    await mkdir(scratch);
    await chmod(scratch, 0o777);
    await stack.start('script-runner', {
      ERRAND_POOL_MIN: '0',
      ERRAND_POOL_MAX: '0',
      ERRAND_EGRESS_ALLOW: '127.0.0.2/32',
      ERRAND_SECRETS_DIR: join(stack.folder, 'secrets'),
      ERRAND_SECRETS_ALLOW: 'web:get=API_KEY',
      ERRAND_FILES_ALLOW: 'reports:ro scratch:rw',
      ERRAND_PIP_INDEX_URL: `${index.url}/simple`,
    });
  });
  afterAll(async () => {
    await stack.close();
    web.close();
    index.close();
    await real.sandbox.close();
  });

  const logOf = async ({ id }: Invocation): Promise<string> => {
    const { body } = await stack.client.get<{ items: { line: string }[] }>(`/v1/invocations/${id}/logs`);
    return body.items.map(({ line }) => line).join('\n');
  };

  it('A script reaches the host that its tool and the operator allow, and no output or stored value shows its secret', async () => {
    const invocation = await stack.client.invoke({ toolId: 'web:get', arguments: { url } });
    expect(invocation).toMatchObject({
      status: 'succeeded',
      result: { answer: 'you are [secret API_KEY]', key: '[secret API_KEY]', other: [] },
    });
    expect(await logOf(invocation)).toBe('calling with [secret API_KEY]');
    const stored = (await stack.askServers(everythingIn)).join('\n');
    expect(stored).toContain('calling with');
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(stored).not.toContain(form);
  });

  it('A refused connection is explained in the log and in the response of the proxy', async () => {
    const invocation = await stack.client.invoke({ toolId: 'web:get', arguments: { url: 'http://api.example/' } });
    const refusal = 'web:get may not reach api.example:80: this installation does not allow it';
    expect(invocation.result).toMatchObject({ answer: expect.stringContaining(refusal) });
    expect(await logOf(invocation)).toContain(`[errand] ${refusal}`);
  });

  it('A tool does not get a secret that the operator does not allow', async () => {
    expect(await stack.client.invoke({ toolId: 'web:forbidden' })).toMatchObject({
      status: 'failed',
      error: {
        type: 'SecurityError',
        message: 'web:forbidden does not get the secret API_KEY: the operator does not allow it',
      },
    });
  });

  it('A script reads and writes its allowed folders', async () => {
    expect((await stack.client.invoke({ toolId: 'files:copy' })).result).toEqual(['a report', 'Read-only file system']);
  });

  it('The dependencies of a tool are installed when it is loaded, and a failed installation fails the call', async () => {
    const wheels = () => index.asked.filter((path) => path.startsWith('/wheels/wonder'));
    await until('the runner requests the package before any call', async () => wheels().length > 0);
    expect(await stack.client.invoke({ toolId: 'pack:wonder' })).toMatchObject({
      status: 'succeeded',
      result: 'marvellous',
    });
    expect(wheels()).toHaveLength(1);
    expect(await stack.client.invoke({ toolId: 'pack:missing' })).toMatchObject({
      status: 'failed',
      error: { type: 'DependencyError', message: expect.stringContaining('there-is-no-such-package') },
    });
  });

  it('The dependencies of an unlisted script are installed at its first call, and the log says so', async () => {
    const invocation = await stack.client.invoke({
      toolId: 'core:execute-python-script',
      arguments: { scriptPath: 'called/main.py' },
    });
    expect(invocation).toMatchObject({ status: 'succeeded', result: 'marvellous' });
    expect(await logOf(invocation)).toMatch(/^\[errand\] installing the dependencies of requirements\.txt\n/);
  });

  it('A script reads the attachments and its artifacts can be downloaded', async () => {
    const attachments = [
      { name: 'b.txt', contentType: 'text/plain', base64: Buffer.from('beta').toString('base64') },
      { name: 'a.txt', base64: Buffer.from('älpha').toString('base64') },
    ];
    const invocation = await stack.client.invoke({ toolId: 'art:make', attachments });
    expect(invocation).toMatchObject({
      status: 'succeeded',
      result: [['a.txt', 'b.txt'], ['älpha', 'beta'], 'Permission denied'],
      attachments: [
        { name: 'b.txt', contentType: 'text/plain', size: 4 },
        { name: 'a.txt', size: 6 },
      ],
      artifacts: [
        { name: 'charts/x_1_.html', size: 25, contentType: 'text/html; charset=utf-8', step: 0 },
        { name: 'ümlaut.csv', size: 4, contentType: 'text/csv; charset=utf-8', step: 0 },
      ],
    });
    const path = `/v1/invocations/${invocation.id}/artifacts`;
    const page = await fetch(`${stack.url}${path}/${encodeURIComponent('charts/x_1_.html')}`);
    expect(await page.text()).toBe('<script>alert(1)</script>');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="x_1_.html"; filename*=UTF-8''x_1_.html`,
      'x-content-type-options': 'nosniff',
    });
    const table = await fetch(`${stack.url}${path}/${encodeURIComponent('ümlaut.csv')}?step=0`);
    expect(table.headers.get('content-disposition')).toBe(
      `attachment; filename="_mlaut.csv"; filename*=UTF-8''%C3%BCmlaut.csv`,
    );
    for (const missing of ['none', 'ümlaut.csv?step=1']) {
      expect((await stack.client.get(`${path}/${missing}`)).status).toBe(404);
    }
    expect((await stack.client.get('/v1/invocations/inv_00000000000000000000000000/artifacts/a')).status).toBe(404);
  });

  it.each([
    [[{ name: '../a', base64: '' }], /name must be a plain file name/],
    [[{ name: 'a', base64: 'no base64!' }], /base64/],
    [
      [
        { name: 'a', base64: 'YQ==' },
        { name: 'a', base64: 'YQ==' },
      ],
      /must have different names/,
    ],
    [[{ name: 'a', base64: 'YQ==', contentType: 'x\r\ny: z' }], /contentType/],
    [Array.from({ length: 33 }, (_, i) => ({ name: `${i}`, base64: 'YQ==' })), /attachments/],
  ])('Malformed attachments are refused (%#)', async (attachments, message) => {
    const { status, body } = await stack.client.post<{ detail: string }>('/v1/invocations', {
      toolId: 'art:make',
      attachments,
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: expect.objectContaining({ detail: expect.stringMatching(message) }),
    });
  });
});

/** The files of the tools above, with the port that one of them may reach, and of a script without a tool. */
function libraryFor(port: number): Files {
  const files: Record<string, unknown> = {
    'scripts/called/main.py': TOOLS['pack:wonder']!.files['main.py']!,
    'scripts/called/requirements.txt': `# called ${process.pid} ${Date.now()}
wonder
`,
  };
  for (const [toolId, { wishes, files: ofScript }] of Object.entries(TOOLS)) {
    const name = toolId.replace(':', '-');
    for (const [path, text] of Object.entries(ofScript)) files[`scripts/${name}/${path}`] = text;
    const tool = {
      toolId,
      description: 'For a test',
      version: '1.0.0',
      handler: { type: 'external-script', scriptPath: `${name}/main.py`, language: 'python' },
      parameters: { type: 'object', properties: { url: { type: 'string' } } },
      ...wishes,
    };
    files[`tools/${name}.tool.json`] = JSON.stringify(tool).replace('PORT', String(port));
  }
  return files;
}

/** Every key and value of a Redis, as one text. */
async function everythingIn(redis: Redis): Promise<string> {
  const dumped: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const read = {
      string: () => redis.get(key),
      hash: () => redis.hgetall(key),
      list: () => redis.lrange(key, 0, -1),
      set: () => redis.smembers(key),
      zset: () => redis.zrange(key, '0', '-1'),
      stream: () => redis.xrange(key, '-', '+', 'COUNT', 1_000),
    }[type];
    dumped.push(`${key} ${JSON.stringify(await read?.())}`);
  }
  return dumped.join('\n');
}
