import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signMessage } from '../apps/worker/src/deliveries/deliver-callback.js';

/** Runs the code that docs/callbacks.md gives to receivers. */
const PAGE = readFileSync(join(__dirname, '../docs/callbacks.md'), 'utf8');
const blockOf = (language: string) => new RegExp(`\`\`\`${language} verify\n(.*?)\`\`\``, 's').exec(PAGE)![1]!;

const HOSTS = {
  js: {
    command: process.execPath,
    file: 'receive.mjs',
    rest: `
import { readFileSync } from 'node:fs';
const { body, headers, secrets } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(verify(Buffer.from(body), headers, secrets)));`,
  },
  python: {
    command: 'python3',
    file: 'receive.py',
    rest: `
import sys
given = json.load(sys.stdin)
print(json.dumps(verify(given["body"].encode(), given["headers"], given["secrets"])))`,
  },
};

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const body = '{"type": "invocation.succeeded", "text": "ü–🎈"}';
const signedAt = (at: Date) => signMessage({ webhookId: 'msg_1', at, body }, [secretOf(1), secretOf(2)]);

const languages = Object.keys(HOSTS) as (keyof typeof HOSTS)[];
const runnable = languages.filter((language) => spawnSync(HOSTS[language].command, ['--version']).status === 0);
for (const language of languages)
  if (!runnable.includes(language)) console.warn(`Skipped: the verifier in ${language}, which is not installed here`);

describe.each(runnable)('The verifier of callbacks in %s', (language) => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-verifier-'));
  const { command, file, rest } = HOSTS[language];
  beforeAll(() => writeFileSync(join(folder, file), blockOf(language) + rest));
  afterAll(() => rmSync(folder, { recursive: true }));

  const verify = (over: object = {}): unknown => {
    const input = JSON.stringify({ body, headers: signedAt(new Date()), secrets: [secretOf(1)], ...over });
    return JSON.parse(execFileSync(command, [join(folder, file)], { input, encoding: 'utf8', stdio: 'pipe' }));
  };

  it('The verifier accepts a message that one of its secrets has signed', () => {
    expect(verify()).toEqual(JSON.parse(body));
    expect(verify({ secrets: [secretOf(9), secretOf(2)] })).toEqual(JSON.parse(body));
  });

  it.each([
    ['a message that another secret signed', { secrets: [secretOf(3)] }],
    ['a message with a changed body', { body: `${body} ` }],
    ['a message with a changed id', { headers: { ...signedAt(new Date()), 'webhook-id': 'msg_2' } }],
    [
      'a message without a signature',
      { headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) } },
    ],
    [
      'a message with malformed signatures',
      { headers: { ...signedAt(new Date()), 'webhook-signature': 'v1, v1 v2,x' } },
    ],
  ])('The verifier refuses %s', (_what, over) => {
    expect(() => verify(over)).toThrow('not signed by Errand');
  });

  it.each([
    ['an old message', { headers: signedAt(new Date(Date.now() - 400_000)) }],
    ['a message from the future', { headers: signedAt(new Date(Date.now() + 400_000)) }],
    ['a message without a valid time', { headers: { ...signedAt(new Date()), 'webhook-timestamp': 'now' } }],
  ])('The verifier refuses %s', (_what, over) => {
    expect(() => verify(over)).toThrow('too old, or from the future');
  });
});
