import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serve } from '../plugins/core/test/serve.js';
import { useStack } from './support/start-stack.js';

/** Runs the loops that docs/agents-howto.md gives to the developers of agents, with a scripted model. */
const PAGE = readFileSync(join(__dirname, '../docs/agents-howto.md'), 'utf8');
const blockOf = (language: string) => new RegExp(`\`\`\`${language} agent\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? '';
const KEY = 'a-key-of-the-agents-tenant';
const LOOPS = {
  js: { command: process.execPath, file: 'agent.mjs' },
  python: { command: 'python3', file: 'agent.py' },
};

const stack = useStack({ with: ['worker'], env: { ERRAND_API_KEYS: `agents:${KEY}` } });
const languages = Object.keys(LOOPS) as (keyof typeof LOOPS)[];
const runnable = languages.filter((language) => spawnSync(LOOPS[language].command, ['--version']).status === 0);
for (const language of languages)
  if (!runnable.includes(language)) console.warn(`Skipped: the loop in ${language}, which is not installed here`);

interface Message {
  role: string;
  content: string;
}

/** Runs the loop of a language with a model that gives these texts, one in each round. */
async function runLoop(language: keyof typeof LOOPS, texts: readonly string[], { url = stack.url, key = KEY } = {}) {
  const model = await serve((_seen, response) => {
    const content = texts[model.seen.length - 1] ?? texts.at(-1);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
  });
  const { command, file } = LOOPS[language];
  // One second of waiting is enough to enter the loop that waits.
  writeFileSync(join(stack.folder, file), blockOf(language).replace('wait=20', 'wait=1').replace('wait=60', 'wait=1'));
  const child = spawn(command, [join(stack.folder, file), 'What is 2 to the power of 10?'], {
    env: { PATH: process.env['PATH'], ERRAND_URL: url, ERRAND_API_KEY: key, MODEL_URL: model.url, MODEL_KEY: 'm' },
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  model.close();
  const rounds = model.seen.map(({ body }) => (JSON.parse(body) as { messages: Message[] }).messages);
  return { printed: printed.trim(), errors, exitCode: child.exitCode, rounds, seen: model.seen };
}

const call = (xml: string) => `I will compute it. <ACTION>${xml}</ACTION>`;
const POWER = '<core:math><op>power</op><a>2</a><b>10</b></core:math>';

it('The loops of the page have at most 40 lines', () => {
  for (const language of languages) {
    const lines = blockOf(language).trimEnd().split('\n').length;
    expect({ language, fits: lines > 20 && lines <= 40 }).toEqual({ language, fits: true });
  }
});

describe.each(runnable)('The agent loop in %s', (language) => {
  it('The loop sends the prompt, gives each Observation to the model, and prints its answer', async () => {
    const { printed, rounds, exitCode, seen } = await runLoop(language, [call(POWER), 'It is 1024.']);
    expect({ printed, exitCode }).toEqual({ printed: 'It is 1024.', exitCode: 0 });
    expect(seen[0]).toMatchObject({ path: '/chat/completions', headers: { authorization: 'Bearer m' } });
    expect(rounds[0]).toMatchObject([
      { role: 'system', content: expect.stringContaining('### core:math') },
      { role: 'user', content: 'What is 2 to the power of 10?' },
    ]);
    expect(rounds[1]!.slice(2)).toEqual([
      { role: 'assistant', content: call(POWER) },
      { role: 'user', content: 'Observation: Tool core:math executed successfully. Result: 1024' },
    ]);
  });

  it('The loop lets the model correct a wrong call', async () => {
    const { printed, rounds } = await runLoop(language, [call('<core:mth></core:mth>'), call(POWER), 'Done.']);
    expect(printed).toBe('Done.');
    expect(rounds[1]!.at(-1)!.content).toMatch(/^Observation: Error - Unknown tool 'core:mth'.*core:math/);
    expect(rounds).toHaveLength(3);
  });

  it('The loop waits for calls that take longer than one request may wait', async () => {
    const slow = call('<core:wait><ms>2500</ms><value>late</value></core:wait>');
    const { rounds } = await runLoop(language, [slow, 'Done.']);
    expect(rounds[1]!.at(-1)!.content).toContain('late');
  });

  it('The loop sends a request again after 429 and 503, with the same idempotency key', async () => {
    const keys: unknown[] = [];
    const busy = await serve(async ({ method, path, headers, body }, response) => {
      keys.push(headers['idempotency-key']);
      if (keys.length < 3) {
        response.writeHead(keys.length === 1 ? 503 : 429, { 'retry-after': '0' }).end('{}');
        return;
      }
      const { host: _host, 'content-length': _length, connection: _connection, ...rest } = headers;
      const request = { method, headers: rest as Record<string, string>, ...(body && { body }) };
      const passed = await fetch(stack.url + path, request);
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
    });
    const { printed } = await runLoop(language, ['Hello.'], { url: busy.url });
    busy.close();
    expect(printed).toBe('Hello.');
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('The loop ends with an error if Errand refuses its key', async () => {
    const refused = await runLoop(language, [call(POWER)], { key: 'wrong' });
    expect(refused).toMatchObject({ exitCode: 1, errors: expect.stringContaining('Errand refused with 401') });
  });

  it('The loop ends with an error if the model never stops to call tools', async () => {
    const endless = await runLoop(language, [call(POWER)]);
    expect(endless.exitCode).toBe(1);
    expect(endless.errors).toContain('The model gave no final answer in 12 rounds');
    expect(endless.rounds).toHaveLength(12);
  });
});
