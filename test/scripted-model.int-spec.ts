import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Json, JsonObject } from '@errand/contracts';
import { runCoreNode } from '../plugins/core/test/run-core-node.js';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';

const model = useScriptedModel();

async function ask(args: JsonObject): Promise<JsonObject> {
  return (await runCoreNode('core:llm', args)) as JsonObject;
}

const inStream = { prompt: 'Hello', stream: true };
const calls = [
  { name: 'core__echo', arguments: { value: 1 } },
  { id: 'own', name: 'other', arguments: '{' },
];
const read: Json = [
  { id: 'call_0', type: 'function', function: { name: 'core__echo', arguments: '{"value":1}' } },
  { id: 'own', type: 'function', function: { name: 'other', arguments: '{' } },
];

describe('The scripted model', () => {
  it.each([true, false])('A node reads text, calls, usage and reason of the answer (stream: %s)', async (stream) => {
    model.current.restart([{ text: ['Grü', 'ße 😀'], toolCalls: calls, reasoning: 'hm', usage: { total_tokens: 7 } }]);
    await expect(ask({ ...inStream, stream })).resolves.toMatchObject({
      text: 'Grüße 😀',
      toolCalls: read,
      usage: { total_tokens: 7 },
      finishReason: 'tool_calls',
    });
    expect(model.current.requests).toMatchObject([
      { messages: [{ role: 'user', content: 'Hello' }], last: 'Hello', body: { stream } },
    ]);
  });

  it('A script gets each request and its number', async () => {
    model.current.script = ({ last }, n) => `${last} ${n}`;
    await expect(ask(inStream)).resolves.toMatchObject({ text: 'Hello 0' });
    await expect(ask({ prompt: 'Again' })).resolves.toMatchObject({ text: 'Again 1' });
    await expect(model.current.until(2)).resolves.toHaveLength(2);
  });

  it('An answer may be an error, and the next one follows the retry', async () => {
    model.current.restart([{ status: 429, retryAfter: 0 }, { status: 500, retryAfter: 0 }, 'fine']);
    await expect(ask(inStream)).resolves.toMatchObject({ text: 'fine' });
  });

  it('A request behind the end of the list is refused without a retry', async () => {
    await expect(ask(inStream)).rejects.toMatchObject({ message: expect.stringContaining('no answer to request 0') });
    expect(model.current.requests).toHaveLength(1);
  });

  it('A stream may break after each of its pieces', async () => {
    const text = ['a', 'b'];
    for (const breakAfter of [0, 1, 2]) {
      model.current.restart([{ text, breakAfter }]);
      await expect(ask(inStream)).rejects.toMatchObject({ type: 'ServiceError' });
      expect(model.current.requests).toMatchObject([{ end: 'broken' }]);
    }
  });

  it('An answer may be nonsense, or JSON instead of a stream', async () => {
    model.current.restart([{ raw: 'nonsense' }, { text: 'whole', whole: true }]);
    await expect(ask({ ...inStream, maxRetries: 0 })).rejects.toMatchObject({ type: 'ServiceError' });
    await expect(ask(inStream)).resolves.toMatchObject({ text: 'whole' });
  });

  it('An answer may wait, before it begins and between its pieces', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['a', 'b'], after: () => Promise.resolve(), hold: { pieces: 1, until } }]);
    const asked = ask(inStream);
    await model.current.until(1);
    expect(model.current.requests[0]?.end).toBeUndefined();
    release();
    await expect(asked).resolves.toMatchObject({ text: 'ab' });
  });

  it('The record shows that a caller closed the connection', async () => {
    const stop = new AbortController();
    const after = () => (stop.abort(), new Promise(() => {}));
    model.current.restart([{ text: 'a', after }]);
    const asked = runCoreNode('core:llm', inStream, { signal: stop.signal });
    await expect(asked).rejects.toMatchObject({ type: 'CancelledError' });
    await eventually(() => model.current.requests[0]?.end === 'closed');
  });
});

describe('The model of the examples', () => {
  it('A node multiplies two numbers in two answers', async () => {
    const file = join(__dirname, '../examples/agents/scripted-model.mjs');
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const baseUrl = /ERRAND_LLM_BASE_URL=(\S+)/.exec(String(line))?.[1];
      process.env['ERRAND_LLM_BASE_URL'] = baseUrl;
      const first = await ask({ prompt: 'What is 6 times 7?', stream: true });
      expect(first['text']).toContain('<op>multiply</op>\n    <a>6</a>\n    <b>7</b>');
      const prompt = 'Observation: Tool core:math executed successfully. Result: 42';
      await expect(ask({ prompt, stream: true })).resolves.toMatchObject({ text: 'The product is 42.' });
      await expect(ask({ prompt: 'Hi' })).resolves.toMatchObject({ text: expect.stringContaining('two numbers') });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });
});
