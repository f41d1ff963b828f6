import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serve, type Seen } from '../plugins/core/test/serve.js';
import { useStack } from './support/start-stack.js';

/** Runs the loops of docs/native-calls-howto.md against a real API and a scripted server of each model API. */
const PAGE = readFileSync(join(__dirname, '../docs/native-calls-howto.md'), 'utf8');
const KEY = 'a-key-of-the-agents-tenant';
const stack = useStack({ with: ['worker'], env: { ERRAND_API_KEYS: `agents:${KEY}` } });

/** One call of a scripted model. The arguments are text if they are wrong JSON. */
interface ScriptedCall {
  id: string;
  name: string;
  args: object | string;
}
type Round = readonly ScriptedCall[] | string;
type Item = Record<string, unknown>;

/** A scripted model API: how it writes a round, and the ids whose answers a request has, in order. */
interface ModelApi {
  path: string;
  write: (round: Round) => object;
  /** Throws if the conversation breaks a rule of the API. */
  check: (body: Item) => { id: unknown; content: unknown }[];
}

const json = (args: object | string) => (typeof args === 'string' ? args : JSON.stringify(args));
const items = (value: unknown): Item[] => {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value as Item[];
};

function requireRule(holds: boolean, rule: string): void {
  if (!holds) throw new Error(rule);
}

const APIS: Record<string, ModelApi> = {
  'openai.mjs': {
    path: '/chat/completions',
    write: (round) => {
      const message =
        typeof round === 'string'
          ? { role: 'assistant', content: round, refusal: null }
          : { role: 'assistant', content: null, refusal: null, tool_calls: round.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: json(args) } })) }; // prettier-ignore
      return { object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message }] };
    },
    check: ({ messages, tools }) => {
      requireRule(
        items(tools).every(({ type, function: own }) => type === 'function' && typeof own === 'object'),
        'a tool is no function',
      );
      return items(messages).flatMap((message, n, all) => {
        const calls = message['tool_calls'] ? items(message['tool_calls']) : [];
        return calls.map(({ id }, at) => {
          const answer = all[n + 1 + at];
          requireRule(
            answer?.['role'] === 'tool' && answer['tool_call_id'] === id,
            `${String(id)} has no tool message`,
          );
          return { id, content: answer?.['content'] };
        });
      });
    },
  },
  'responses.mjs': {
    path: '/responses',
    write: (round) => ({
      object: 'response',
      status: 'completed',
      output:
        typeof round === 'string'
          ? [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: round, annotations: [] }] }] // prettier-ignore
          : round.map(({ id, name, args }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: json(args), status: 'completed' })), // prettier-ignore
    }),
    check: ({ input, tools }) => {
      requireRule(
        items(tools).every(({ type, name }) => type === 'function' && typeof name === 'string'),
        'a tool has no name',
      );
      const all = items(input);
      const calls = all.filter(({ type }) => type === 'function_call');
      return calls.map(({ call_id: id }) => {
        const outputs = all.filter(({ type, call_id: own }) => type === 'function_call_output' && own === id);
        requireRule(outputs.length === 1, `${String(id)} has ${outputs.length} outputs`);
        return { id, content: outputs[0]?.['output'] };
      });
    },
  },
  'anthropic.mjs': {
    path: '/v1/messages',
    write: (round) => ({
      type: 'message',
      role: 'assistant',
      stop_reason: typeof round === 'string' ? 'end_turn' : 'tool_use',
      content:
        typeof round === 'string'
          ? [{ type: 'text', text: round }]
          : round.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    }),
    check: ({ messages, tools, max_tokens: most }) => {
      requireRule(typeof most === 'number', 'max_tokens is required');
      requireRule(
        items(tools).every(({ input_schema: schema }) => typeof schema === 'object'),
        'a tool has no schema',
      );
      const all = items(messages);
      requireRule(
        all.every(({ role }, n) => role === (n % 2 === 0 ? 'user' : 'assistant')),
        'the roles must alternate',
      );
      return all.flatMap(({ role, content }, n) => {
        if (role !== 'assistant') return [];
        const results = items(all[n + 1]?.['content']);
        return items(content).map(({ id }, at) => {
          requireRule(results[at]?.['tool_use_id'] === id, `${String(id)} has no tool_result`);
          return { id, content: results[at]?.['content'] };
        });
      });
    },
  },
};

const blockOf = (file: string) => new RegExp(`\`\`\`js ${file}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? '';

/** Runs a loop with a model that writes these rounds. Returns what it printed and the answers that the last request had. */
async function runLoop(file: string, rounds: readonly Round[], { key = KEY } = {}) {
  const api = APIS[file]!;
  const answers: ReturnType<ModelApi['check']>[] = [];
  const answer = ({ path, body }: Seen): object => {
    if (path !== api.path) throw new Error(`no route ${path}`);
    answers.push(api.check(JSON.parse(body) as Item));
    return api.write(rounds[answers.length - 1] ?? rounds.at(-1) ?? '');
  };
  const model = await serve((seen, response) => {
    try {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(seen)));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  const folder = join(stack.folder, 'loops');
  mkdirSync(folder, { recursive: true });
  // One second of waiting is enough to enter the loop that waits.
  for (const each of ['errand.mjs', file])
    writeFileSync(join(folder, each), blockOf(each).replace('wait=20', 'wait=1').replace('wait=60', 'wait=1'));
  const child = spawn(process.execPath, [join(folder, file), 'What is 2 to the power of 10?'], {
    env: { ERRAND_URL: stack.url, ERRAND_API_KEY: key, MODEL_URL: model.url, MODEL_KEY: 'm' },
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  model.close();
  return { printed: printed.trim(), errors, exitCode: child.exitCode, rounds: answers.length, answers: answers.at(-1) };
}

const POWER: ScriptedCall = { id: 'call_power', name: 'core__math', args: { op: 'power', a: 2, b: 10 } };
const SLOW: ScriptedCall = { id: 'call_slow', name: 'core__wait', args: { ms: 2500, value: 'late' } };

describe.each(Object.keys(APIS))('The loop %s of the page', (file) => {
  it('The loop gives the results of parallel calls to the model, and prints its answer', async () => {
    const outcome = await runLoop(file, [
      [POWER, { id: 'call_echo', name: 'core__echo', args: { value: 'hi' } }],
      'It is 1024.',
    ]);
    expect(outcome).toEqual({
      printed: 'It is 1024.',
      errors: '',
      exitCode: 0,
      rounds: 2,
      answers: [
        { id: 'call_power', content: '1024' },
        { id: 'call_echo', content: 'hi' },
      ],
    });
  });

  it('The loop waits for calls that take longer than one request may wait', async () => {
    const { printed, answers } = await runLoop(file, [[SLOW], 'Done.']);
    expect([printed, answers]).toEqual(['Done.', [{ id: 'call_slow', content: 'late' }]]);
  });

  it('The loop lets the model correct a wrong call, a call that failed and a tool that does not exist', async () => {
    const wrong = { id: 'call_wrong', name: 'core__math', args: { op: 'power', a: 'two' } };
    const failing = { id: 'call_failing', name: 'core__math', args: { op: 'divide', a: 1, b: 0 } };
    const unknown = { id: 'call_unknown', name: 'core__mth', args: {} };
    const { printed, answers } = await runLoop(file, [[wrong, POWER], [failing], [unknown], 'Done.']);
    expect(printed).toBe('Done.');
    expect(answers?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Observation: Error - Invalid parameters for core__math/),
      expect.stringMatching(/nothing ran, .*call_wrong/),
      expect.stringMatching(/^Observation: Error - Tool core:math failed/),
      expect.stringMatching(/^Observation: Error - Unknown tool 'core__mth', did you mean '/),
    ]);
  });

  it('The loop ends with an error if Errand refuses its key', async () => {
    const refused = await runLoop(file, [[POWER]], { key: 'wrong' });
    expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringMatching(/Errand refused with 401/)]);
  });
});

it.each(['openai.mjs', 'responses.mjs'])(
  'The loop %s lets the model correct arguments that are not JSON',
  async (file) => {
    const broken = { id: 'call_broken', name: 'core__echo', args: '{"value": "hi"' };
    const { printed, answers } = await runLoop(file, [[broken], 'Done.']);
    expect(printed).toBe('Done.');
    expect(answers).toEqual([
      { id: 'call_broken', content: expect.stringMatching(/not valid JSON: line 1, column 15/) },
    ]);
  },
);
