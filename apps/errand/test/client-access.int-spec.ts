import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REVIEW_LIBRARY } from '../../../test/support/review-library.js';
import { useStack } from '../../../test/support/start-stack.js';
import { everyClientCommand } from './every-command.js';
import { runErrand, userOf } from './run-errand.js';

const stack = useStack({ with: ['worker'], library: REVIEW_LIBRARY });
const { client } = stack;
const UNKNOWN_ID = 'inv_00000000000000000000000000';

const { home, surroundings, errand, errandReading, errandWith, startedErrand } = userOf(stack);

describe('./errand list', () => {
  it('Filters select invocations, and --all prints every page as one JSON document', async () => {
    const session = 'of this list';
    const items = Array.from({ length: 1_000 }, (_, value) => ({ toolId: 'core:echo', arguments: { value }, session }));
    await client.post('/v1/invocations/batch', { items });
    await client.post('/v1/invocations/batch', { items: items.slice(0, 1) });
    const all = await listed('--session', session, '--all');
    expect(new Set(all.items.map(({ id }) => id)).size).toBe(1_001);
    const [page, tools] = await Promise.all([
      startedErrand('list', '--session', session, '--tool', 'core:echo', '--limit', '2'),
      errand('list', '--tool', 'core:math', '--session', session),
    ]);
    expect(page).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^(inv_\w+ +\w+ +[\dT:.-]+Z +core:echo\n){2}$/),
      stderr: expect.stringMatching(/add --all, or --cursor=\S+$/m),
    });
    expect(tools).toEqual({ status: 0, stdout: '', stderr: 'No invocation matches.\n' });
    const cursor = /--cursor=(\S+)/.exec(page.stderr)![1]!;
    const next = await listed('--session', session, '--tool', 'core:echo', '--limit', '2', `--cursor=${cursor}`);
    expect(page.stdout).not.toContain(next.items[0]!.id);
  });

  it('A wrong filter is refused by the API with exit code 4', async () => {
    expect(await errand('list', '--status', 'fialed')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining("did you mean 'failed'?"),
    });
  });

  async function listed(...args: string[]): Promise<{ items: { id: string }[]; nextCursor: string | null }> {
    const { status, stdout } = await errand('list', '--json', ...args);
    expect(status).toBe(0);
    return JSON.parse(stdout) as { items: { id: string }[]; nextCursor: string | null };
  }
});

describe('The address and the key', () => {
  it('Every client command has exit code 3 without an Errand, and 4 with a wrong key', async () => {
    const url = await stack.startApi({ ERRAND_API_KEYS: 'a-key-of-sixteen-chars other:b-key-of-sixteen-chars' });
    for (const { path, operands } of everyClientCommand()) {
      const words = [
        ...path,
        ...(operands === '<id>' && path[0] === 'tools'
          ? ['core:echo']
          : /^<id>|\[id\]/.test(operands)
            ? [UNKNOWN_ID]
            : []),
        ...(path[0] === 'answer' ? ['1'] : []),
      ];
      const away = await errandWith({ ERRAND_URL: url }, ...words, '--url', 'http://127.0.0.1:9');
      const refused = await errandWith({ ERRAND_URL: url }, ...words, '--key', 'wrong');
      expect({ words, ...away }).toEqual({
        words,
        status: 3,
        stdout: '',
        stderr: expect.stringContaining('No Errand'),
      });
      expect({ words, ...refused }).toEqual({
        words,
        status: 4,
        stdout: '',
        stderr: expect.stringMatching(/Unauthorized[^]*ERRAND_API_KEY/),
      });
      expect(refused.stderr).not.toContain('wrong');
    }
    const file = join(home(), 'profiles/errand/profiles.yaml');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `mine: {url: ${url}, key: b-key-of-sixteen-chars}`);
    chmodSync(file, 0o600);
    const env = { XDG_CONFIG_HOME: join(home(), 'profiles'), ERRAND_URL: '' };
    const started = await runErrand(['invoke', '--profile', 'mine', 'hello'], surroundings(env));
    expect(started).toMatchObject({ status: 0, stdout: 'hello\n' });
    expect(await errandWith({ ...env, ERRAND_PROFILE: 'mine' }, 'list')).toMatchObject({ status: 0 });
  });

  it('Without an address and a running stack, a client command has exit code 3 and says how to go on', async () => {
    expect(await errandWith({ ERRAND_URL: '' }, 'list')).toEqual({
      status: 3,
      stdout: '',
      stderr: expect.stringMatching(/Errand is not running[^]*errand up[^]*--url, --profile or ERRAND_URL/),
    });
  });

  it('`tools` and `parse` ask the Errand that the address names', async () => {
    const [tools, show, parsed, broken] = await Promise.all([
      errand('tools', 'list', '--namespace', 'review'),
      errand('tools', 'show', 'review:approve', '--json'),
      errandReading('<ACTION><review:approve><what>x</what></review:approve></ACTION>', 'parse', '--json'),
      errandReading('<ACTION><review:aprove/></ACTION>', 'parse'),
    ]);
    expect(tools).toMatchObject({ status: 0, stdout: expect.stringContaining('review:approve') });
    expect(JSON.parse(show.stdout)).toMatchObject({ toolId: 'review:approve' });
    expect(JSON.parse(parsed.stdout)).toMatchObject({ calls: [{ toolId: 'review:approve' }] });
    expect(broken).toMatchObject({ status: 4, stderr: expect.stringContaining("did you mean 'review:approve'") });
  });
});
