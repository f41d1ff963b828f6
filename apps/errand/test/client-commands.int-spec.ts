import { createInterface } from 'node:readline';
import { REVIEW_LIBRARY } from '../../../test/support/review-library.js';
import { useStack } from '../../../test/support/start-stack.js';
import { outcomeOf, runErrand, startErrand, userOf } from './run-errand.js';

/** Tools with a result of more than one part, and with a log that a terminal would obey. */
const LARGE = {
  'plugins/large/plugin.yaml': `
name: large
displayName: Large
version: 1.0.0
description: Large results.
nodes: { entry: nodes/index.js }
tools:
${['list', 'text', 'log']
  .map(
    (name) => `  - id: large:${name}
    displayName: Large
    description: Large.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: large:${name} }`,
  )
  .join('\n')}
`,
  'plugins/large/nodes/index.js': `
const list = Array.from({ length: 30 }, () => 'x'.repeat(40000));
const node = (type, run) => ({ type, description: 'd', inputs: {}, outputs: { value: { dataFlowType: 'WILDCARD' } }, run });
module.exports = { nodes: [
  node('large:list', () => ({ value: list })),
  node('large:text', () => ({ value: JSON.stringify(list) })),
  node('large:log', (inputs, { log }) => { log('one \\u001b[31mline'); return { value: 1 }; }),
] };`,
};

const stack = useStack({ with: ['worker'], library: { ...REVIEW_LIBRARY, ...LARGE } });
const { client } = stack;
const UNKNOWN_ID = 'inv_00000000000000000000000000';

const { surroundings, errand, errandReading, errandWith, startedErrand } = userOf(stack);

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('./errand invoke', () => {
  it('A text is submitted, followed and its result printed', async () => {
    const { status, stdout, stderr } = await startedErrand(
      'invoke',
      '<ACTION><core:echo><value>hi</value></core:echo></ACTION>',
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^Result: hi\nObservation: /) });
    expect(stderr).toMatch(/^inv_\w+ submitted\n {2}queued\n(.*\n)* {2}succeeded\n$/m);
  });

  it('A text from stdin can begin with dashes, and `-` names stdin', async () => {
    const dashes = { status: 0, stdout: '--url is a text\n' };
    expect(await runErrand(['invoke'], { ...surroundings(), stdin: '--url is a text' })).toMatchObject(dashes);
    expect(await errandReading('--url is a text', 'invoke')).toMatchObject(dashes);
    expect(await errandReading('- x', 'invoke', '-')).toMatchObject({ status: 0, stdout: '- x\n' });
    expect(await errand('invoke', '--', '--help')).toMatchObject({ status: 0, stdout: '--help\n' });
  });

  it('With --json each event is one line, and the last one has the invocation', async () => {
    const args = ['invoke', '--json', '--tool', 'core:echo', '--session', 's 1', '{"value":"\u009b31m"}'];
    const { status, stdout, stderr } = await errand(...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // eslint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0080-\u009f]/);
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      event: 'end',
      invocation: { status: 'succeeded', session: 's 1', result: '\u009b31m' },
    });
  });

  it('A failed invocation has exit code 1', async () => {
    const { status, stdout, stderr } = await errand('invoke', '--tool', 'core:math', '{"op":"divide","a":1,"b":0}');
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining('division by zero') });
    expect(stderr).toContain('NodeError');
  });

  it('A refused text has exit code 4, with its problems on stderr and its Observation on stdout', async () => {
    const text = '<ACTION><core:ehco/></ACTION>';
    expect(await errand('invoke', text)).toEqual({
      status: 4,
      stdout: expect.stringMatching(/^Observation: .*did you mean 'core:echo'\?/),
      stderr: expect.stringMatching(/line 1, column 9[^]*did you mean 'core:echo'/),
    });
    const { status, stdout } = await errand('invoke', '--json', text);
    expect({ status, body: jsonLines(stdout) }).toMatchObject({ status: 4, body: [{ code: 'unknown_tool' }] });
  });

  it('A number that JSON cannot carry reaches the API as it was written, which refuses it', async () => {
    expect(await errand('invoke', '--tool', 'core:echo', '{"value":12345678901234567890}')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('12345678901234567890'),
    });
  });

  it('A step that waits is shown with the command that answers it, and that command works', async () => {
    const child = startErrand(['invoke', '--tool', 'review:approve', '{"what":"the plan"}'], surroundings());
    const all = outcomeOf(child);
    for await (const line of createInterface(child.stderr!)) {
      const answer = /^ {2}To answer: \.\/errand answer (inv_\w+) --step 0 '(.*)'$/.exec(line);
      if (!answer) continue;
      expect(answer[2]).toBe('{"ok":true}');
      expect(await errand('answer', answer[1]!, '--step', '0', answer[2]!)).toMatchObject({ status: 0 });
      break;
    }
    expect(await all).toMatchObject({ status: 0, stdout: expect.stringContaining('Result: {"ok":true}') });
  });

  it('Ctrl-C leaves the invocation running and prints how to follow it', async () => {
    const child = startErrand(['invoke', '--tool', 'review:approve', '{"what":"x"}'], surroundings());
    const all = outcomeOf(child);
    for await (const line of createInterface(child.stderr!)) if (line.includes('To answer')) break;
    child.kill('SIGINT');
    const { status } = await all;
    const id = (await client.get<{ items: { id: string }[] }>('/v1/invocations?limit=1')).body.items[0]!.id;
    expect(status).toBe(130);
    expect((await client.read(id)).status).toBe('waiting_external');
    expect(await startedErrand('cancel', id)).toMatchObject({ status: 0, stdout: `${id} cancelled\n` });
    expect(await errand('follow', id)).toMatchObject({ status: 1, stderr: expect.stringContaining('cancelled') });
  });

  it('With --detach only the id is printed', async () => {
    const { status, stdout } = await errand('invoke', '-d', '--tool', 'core:echo', '{"value":1}');
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^inv_\w+\n$/) });
    expect((await client.untilEnded(stdout.trim())).status).toBe('succeeded');
  });
});

describe('The commands for one invocation', () => {
  it('An ended invocation is read, followed to its end at once, and its result printed', async () => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: { a: 'ä' } } });
    const [get, getJson, follow, result, whole, part] = await Promise.all([
      startedErrand('get', id),
      errand('get', id, '--json'),
      startedErrand('follow', id, '--json'),
      errand('result', id),
      errand('result', id, '--json'),
      errand('result', id, '--path', '/a'),
    ]);
    expect(get).toMatchObject({ status: 0, stdout: expect.stringMatching(/^inv_\w+ succeeded\n[^]*core:echo@/) });
    expect(jsonLines(getJson.stdout)).toMatchObject([{ id, result: { a: 'ä' } }]);
    expect(jsonLines(follow.stdout).at(-1)).toMatchObject({ event: 'end', invocation: { id } });
    expect([result.stdout, whole.stdout, part.stdout]).toEqual(['{"a":"ä"}', '{"a":"ä"}\n', 'ä']);
  });

  it('A large result is printed whole, and with --json a text that looks like a list stays a text', async () => {
    const list = Array.from({ length: 30 }, () => 'x'.repeat(40_000));
    for (const [toolId, value] of [
      ['large:list', list],
      ['large:text', JSON.stringify(list)],
    ] as const) {
      const { id } = await client.invoke({ toolId, arguments: {} });
      expect(JSON.parse((await errand('result', id, '--json')).stdout)).toEqual(value);
      // A started command waits until its reader has taken a part.
      const run = toolId === 'large:list' ? startedErrand : errand;
      expect((await run('result', id)).stdout).toBe(JSON.stringify(list));
    }
  });

  it('The log of an invocation is printed, for one step and while it runs', async () => {
    const calls = [
      { toolId: 'large:log', arguments: {} },
      { toolId: 'large:log', arguments: {} },
    ];
    const { id } = await client.invoke({ calls });
    const [all, one, json, followed, none] = await Promise.all([
      errand('logs', id),
      errand('logs', id, '--step', '1'),
      errand('logs', id, '--json'),
      startedErrand('logs', id, '-f', '--step', '0'),
      errand('logs', UNKNOWN_ID),
    ]);
    // A log line with an escape sequence is shown without its effect.
    const line = 'one \\x1b[31mline\n';
    expect([all.stdout, one.stdout, followed.stdout]).toEqual([line.repeat(2), line, line]);
    expect(jsonLines(json.stdout)).toMatchObject([{ line: 'one \u001b[31mline', step: 0 }, { step: 1 }]);
    expect(none).toMatchObject({ status: 4, stderr: expect.stringContaining('There is no invocation') });
  });

  it('A failed invocation is retried and followed', async () => {
    const failed = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    const { status, stderr } = await startedErrand('retry', failed.id);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^inv_\w+ submitted/) });
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 1 } });
    expect(await errand('retry', id)).toMatchObject({ status: 4, stderr: expect.stringContaining('Conflict') });
  });

  it('An answer is given to the only waiting step, as JSON from stdin or as an error', async () => {
    const ask = { toolId: 'review:approve', arguments: { what: 'x' } };
    const [chain, other] = await Promise.all([
      client.submit({ calls: [{ toolId: 'core:echo', arguments: { value: 1 } }, ask] }),
      client.submit({ calls: [ask, ask], options: { mode: 'parallel' } }),
    ]);
    await Promise.all([
      client.untilWaiting(chain),
      client.until(other, ({ steps }) => steps.every(({ waiting }) => waiting !== undefined)),
    ]);
    expect(await errand('answer', chain, '{"ok":"perhaps"}')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('/result/ok'),
    });
    const started = { ...surroundings(), stdin: '{"ok": true}' };
    expect(await runErrand(['answer', chain, '-'], started)).toMatchObject({ status: 0 });
    expect((await client.untilEnded(chain)).result).toEqual([1, { ok: true }]);
    expect(await errand('answer', other, '{"ok":true}')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--step 0, --step 1'),
    });
    expect(await errand('answer', other, '--step', '1', '--error', 'not today')).toMatchObject({ status: 0 });
    expect((await errand('get', other)).stderr).toMatch(/step 0 .*waits for an answer[^]*answer inv_\w+ --step 0 /);
    await client.cancel(other);
  });

  it('A node of a workflow is named in the command that answers it', async () => {
    const id = await client.submit({ toolId: 'workflow:two', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    const { stderr } = await errand('get', id);
    expect(stderr).toContain(`./errand answer ${id} --step 0 --node one '"your answer"'`);
    expect(await errand('answer', id, '"a"')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('one, other'),
    });
    for (const node of ['one', 'other'])
      expect(await errand('answer', id, '"a"', '--node', node)).toMatchObject({ status: 0 });
    expect((await client.untilEnded(id)).result).toBe('a+a');
  });

  it.each([
    [['get', '../../healthz'], /'\.\.\/\.\.\/healthz' is not the id of an invocation/],
    [['cancel', 'inv_..'], /is not the id of an invocation/],
    [['result', 'inv_%2e%2e'], /is not the id of an invocation/],
    [['follow', '\u001b[2Jinv_1'], /'\\u\{1b\}\[2Jinv_1' is not the id/],
    [['answer', UNKNOWN_ID, 'yes'], /The answer must be JSON, not yes; a text needs quotes: '"yes"'/],
    [['answer', UNKNOWN_ID], /The answer is missing/],
    [['answer', UNKNOWN_ID, '1', '--error', 'x'], /not both/],
    [['answer', UNKNOWN_ID, '1', '--step', '-1'], /--step needs a value/],
    [['answer', UNKNOWN_ID, '1', '--step=x'], /--step must be the number of a step/],
    [['get', UNKNOWN_ID, '--wait', '61'], /--wait must be a whole number of seconds from 0 to 60/],
    [['list', '--all', '--limit', '3'], /--all and --limit/],
    [['invoke', '--tool', 'core:echo', '{value:1}'], /The arguments of the tool must be JSON/],
    [['parse', 'no such file'], /'no such file' cannot be read: it does not exist/],
    [['tools', '--library', '.', '--url', 'http://127.0.0.1'], /give one of them/],
    [['logs', 'stack'], /'stack' is not the id of an invocation/],
  ])('The command line %j is refused with exit code 2 and the reason', async (args, message) => {
    expect(await errand(...args)).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});

describe('./errand mcp', () => {
  it('The configuration of MCP clients has the address, and no header where the API has no keys', async () => {
    const { status, stdout } = await startedErrand('mcp');
    expect(status).toBe(0);
    expect(stdout).toContain(`claude mcp add --transport http errand ${stack.url}/mcp\n`);
    expect(stdout).not.toContain('Authorization');
    const { stdout: json } = await errand('mcp', '--json');
    expect(JSON.parse(json)).toEqual({ mcpServers: { errand: { type: 'http', url: `${stack.url}/mcp` } } });
  });

  it('With a key there is a place for the key, and the key itself is not printed', async () => {
    const key = 'a-key-of-sixteen-chars';
    const url = await stack.startApi({ ERRAND_API_KEYS: key });
    for (const args of [[], ['--json']]) {
      const { status, stdout } = await errandWith({ ERRAND_URL: url, ERRAND_API_KEY: key }, 'mcp', ...args);
      expect(status).toBe(0);
      expect(stdout).toContain('Authorization');
      expect(stdout).toContain('Bearer <key>');
      expect(stdout).not.toContain(key);
    }
  });

  it('An unknown agent is refused with the nearest name', async () => {
    expect(await errand('mcp', 'nobody')).toMatchObject({ status: 4, stdout: '' });
  });
});
