import type { Invocation, JsonObject, Round } from '@errand/contracts';
import { turnLibrary } from './support/turn-library.js';
import { useScriptedModel, type Answer } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

const model = useScriptedModel();
const { client } = useStack({ with: ['worker'], library: turnLibrary() });

const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const echo = (value: string) => `<core:echo><value>${value}</value></core:echo>`;
const ask = (more: object = {}, agent = 'guide') => ({
  toolId: `agent:${agent}`,
  arguments: { message: 'Hello' },
  ...more,
});
const roundsOf = ({ steps }: Invocation): Round[] => steps[0]?.rounds ?? [];
const toolCall = (id: string, args: JsonObject, name = 'core__echo') => ({ id, name, arguments: JSON.stringify(args) });
const native = (...calls: ReturnType<typeof toolCall>[]): Answer => ({ text: '', toolCalls: calls });

describe('The library of these tests', () => {
  it('The library of these tests has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });
});

describe('A turn', () => {
  it('A turn without calls gives the text of the model as its result', async () => {
    model.current.restart(['Hello, Ada.']);
    const turn = await client.invoke(ask());
    expect(turn).toMatchObject({ status: 'succeeded', result: 'Hello, Ada.', session: expect.stringMatching(/^ses_/) });
    expect(roundsOf(turn)).toMatchObject([{ index: 0, status: 'succeeded', text: 'Hello, Ada.', calls: [] }]);
    const [system, user] = model.current.requests[0]?.messages ?? [];
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining('You guide visitors.') });
    expect(user).toEqual({ role: 'user', content: 'Hello' });
  });

  it('The calls of a text run in a child invocation, and the model reads their Observation', async () => {
    model.current.restart([act('I look.', echo('one')), 'It says one.']);
    const turn = await client.invoke(ask({ session: 'calls' }));
    expect(turn).toMatchObject({ status: 'succeeded', result: 'It says one.' });
    const [first] = roundsOf(turn);
    expect(first).toMatchObject({
      status: 'succeeded',
      calls: [{ toolId: 'core:echo', arguments: { value: 'one' }, status: 'succeeded', result: 'one' }],
      observation: 'Observation: Tool core:echo executed successfully. Result: one',
    });
    const child = await client.read(first?.invocationId ?? '');
    expect(child).toMatchObject({
      status: 'succeeded',
      agent: 'guide',
      session: 'calls',
      parent: { invocationId: turn.id, round: 0 },
    });
    const { body } = await client.get<{ items: { id: string }[] }>(`/v1/invocations?parent=${turn.id}`);
    expect(body.items.map(({ id }) => id)).toEqual([child.id]);
    expect(model.current.requests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: act('I look.', echo('one')) },
      { role: 'user', content: first?.observation },
    ]);
  });

  it('Native calls run in parallel, each fails for itself, and each gets a tool message', async () => {
    model.current.restart([native(toolCall('a', { value: 1 }), toolCall('b', {}, 'test__fail')), 'Done.']);
    const turn = await client.invoke(ask({}, 'native'));
    expect(turn).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(roundsOf(turn)[0]?.calls).toMatchObject([
      { callId: 'a', toolId: 'core:echo', name: 'core__echo', status: 'succeeded', result: 1 },
      { callId: 'b', toolId: 'test:fail', status: 'failed' },
    ]);
    expect(model.current.requests[0]?.tools).toEqual(['core__echo', 'test__fail']);
    expect(model.current.requests[1]?.messages.slice(-3)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('no such luck') },
    ]);
  });

  it('The events of a turn come in the order of its phases', async () => {
    model.current.restart([{ text: ['I lo', 'ok.\n<ACT', `ION>${echo('one')}</ACTION>`] }, 'Done.']);
    const id = await client.submit(ask());
    const events = (await client.events(id)).filter(({ event }) => event !== 'step');
    const told = events.map(({ event, data }) => [event, data['round'], data['status'] ?? data['delta']]);
    const first = told.slice(
      0,
      told.findIndex(([event, round]) => event === 'round' && round === 1),
    );
    expect(first.filter(([event]) => event !== 'status').map(([event]) => event)).toEqual(
      expect.arrayContaining(['round', 'text', 'call', 'called']),
    );
    const order = first.map(([event]) => event).filter((event) => event !== 'status' && event !== 'text');
    expect(order).toEqual(['round', 'call', 'called', 'round']);
    expect(textOf(events, 0)).toBe('I look.');
    expect(textOf(events, 1)).toBe('Done.');
  });
});

function textOf(events: { event: string; data: Record<string, unknown> }[], round: number): string {
  return events
    .filter(({ event, data }) => event === 'text' && data['round'] === round)
    .map(({ data }) => String(data['delta']))
    .join('');
}

describe('A refused round', () => {
  it.each([
    ['an unknown tool', act('', '<core:ecko><value>x</value></core:ecko>'), /did you mean 'core:echo'/],
    ['a tool outside the inventory', act('', '<core:template><template>x</template></core:template>'), /Unknown tool/],
    ['wrong arguments', act('', '<core:echo><valeu>x</valeu></core:echo>'), /Invalid parameters/],
    ['malformed XML', '<ACTION><core:echo><value>x</core:echo></ACTION>', /Malformed XML/],
  ])('After %s the model reads what is wrong, and nothing runs', async (_, text, expected) => {
    model.current.restart([text, 'Sorry.']);
    const turn = await client.invoke(ask());
    expect(turn).toMatchObject({ status: 'succeeded', result: 'Sorry.' });
    expect(roundsOf(turn)[0]).toMatchObject({
      status: 'refused',
      calls: [],
      observation: expect.stringMatching(expected),
    });
    expect(roundsOf(turn)[0]).not.toHaveProperty('invocationId');
    expect(model.current.requests[1]?.last).toMatch(expected);
  });

  it('A model that never repairs its answer fails the turn with OutputError', async () => {
    model.current.restart(() => act('', '<nothing:here/>'));
    const turn = await client.invoke(ask());
    expect(turn).toMatchObject({ status: 'failed', error: { type: 'OutputError' } });
    expect(roundsOf(turn)).toHaveLength(4);
  });

  it('An answer that does not fit the output of the agent is repaired', async () => {
    model.current.restart(['three', '{"count":"three"}', '```json\n{"count":3}\n```']);
    const turn = await client.invoke(ask({}, 'counter'));
    expect(turn).toMatchObject({ status: 'succeeded', result: { count: 3 } });
    expect(roundsOf(turn).map(({ status }) => status)).toEqual(['refused', 'refused', 'succeeded']);
  });
});

describe('Client tools', () => {
  const withTool = (session: string) =>
    ask({
      session,
      arguments: {
        message: 'Paint it',
        tools: [
          {
            name: 'paint',
            description: 'Paints',
            parameters: { type: 'object', properties: { color: { type: 'string' } } },
          },
        ],
      },
    });

  it('A turn waits for the answer to a client tool by the id of the call', async () => {
    model.current.restart([act('I paint.', '<paint><color>red</color></paint>'), 'It is red.']);
    const id = await client.submit(withTool('paint'));
    const waiting = await client.untilWaiting(id);
    const [round] = roundsOf(waiting);
    expect(round?.calls).toMatchObject([{ toolId: 'paint', client: true, status: 'waiting_external' }]);
    expect(waiting.steps[0]?.waiting).toMatchObject({ for: 'answer', invocationId: round?.invocationId, step: 0 });
    const callId = round?.calls[0]?.callId ?? '';
    expect((await client.post(`/v1/invocations/${id}/calls/${callId}/result`, { result: 'ok' })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'It is red.' });
    expect(model.current.requests[1]?.last).toContain('Result: ok');
  });

  it('A new message ends a turn that waits for client tools', async () => {
    model.current.restart([act('I paint.', '<paint><color>red</color></paint>'), 'Never mind.']);
    const first = await client.submit(withTool('overtaken'));
    await client.untilWaiting(first);
    const second = await client.invoke(ask({ session: 'overtaken', arguments: { message: 'Stop' } }));
    expect(second).toMatchObject({ status: 'succeeded', result: 'Never mind.' });
    expect(await client.read(first)).toMatchObject({ status: 'cancelled' });
    const contents = model.current.requests[1]?.messages.map(({ content }) => content);
    expect(contents).toEqual([
      expect.anything(),
      'Paint it',
      expect.stringContaining('I paint.'),
      expect.stringContaining('not answered'),
      'Stop',
    ]);
  });
});

describe('Turns of one session', () => {
  it('The second turn of a session and agent waits for the first, and continues its conversation', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: 'One.', after: held }, 'Two.']);
    const first = await client.submit(ask({ session: 'order' }));
    await model.current.until(1);
    const second = await client.submit(ask({ session: 'order', arguments: { message: 'Again' } }));
    const suspended = await eventually(async () => {
      const { steps } = await client.read(second);
      return steps[0]?.waiting && steps[0];
    });
    expect(suspended).toMatchObject({ waiting: { for: 'invocation', invocationId: first } });
    release();
    expect(await client.untilEnded(second)).toMatchObject({ result: 'Two.' });
    expect(model.current.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      'Hello',
      'One.',
      'Again',
    ]);
  });
});

describe('The limits of a turn', () => {
  it('A turn that needs more rounds fails, and a retry with more continues it', async () => {
    model.current.restart([...['a', 'b', 'c', 'd'].map((value) => act('', echo(value))), 'Done.']);
    const failed = await client.invoke(ask({}, 'short'));
    expect(failed).toMatchObject({
      status: 'failed',
      error: { type: 'ResourceLimitError', details: { limit: 'maxRounds', value: 2 } },
    });
    const { body } = await client.retry(failed.id, { limits: { maxRounds: 10 } });
    const retried = await client.untilEnded(body.id);
    expect(retried).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(roundsOf(retried)).toHaveLength(5);
    expect(model.current.requests).toHaveLength(5);
  });

  it.each([
    [{ maxRonds: 3 }, /did you mean 'maxRounds'/],
    [{ maxRounds: 0 }, /at least 1/],
    [{ maxRounds: 'x' }, /whole number/],
  ])('A retry with the limits %j is refused', async (limits, message) => {
    model.current.restart(() => act('', echo('x')));
    const failed = await client.invoke(ask({}, 'short'));
    expect(await client.retry(failed.id, { limits })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(message) },
    });
  });

  it('Two agents that call each other end with an error that names the limit', async () => {
    model.current.restart((request) => {
      const [, who] = /You are (ping|pong)/.exec(JSON.stringify(request.messages[0])) ?? [];
      const other = who === 'ping' ? 'pong' : 'ping';
      return request.last.startsWith('Observation')
        ? `It ended: ${request.last}`
        : act('', `<agent:${other}><message>Go</message></agent:${other}>`);
    });
    const turn = await client.invoke(ask({ session: 'cycle' }, 'ping'));
    expect(turn.status).toBe('succeeded');
    expect(JSON.stringify(turn.result)).toContain('maxDepth');
  });
});

describe('The cancel of a turn', () => {
  it('A turn is cancelled while the model writes', async () => {
    model.current.restart([{ text: 'never', after: new Promise(() => {}) }]);
    const id = await client.submit(ask());
    await model.current.until(1);
    await client.cancel(id);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled' });
    await eventually(() => model.current.requests[0]?.end === 'closed');
  });

  it.each([
    ['a tool', act('', '<test:slow/>'), 'running'],
    ['an answer', act('', '<test:ask/>'), 'waiting_external'],
  ])('A turn is cancelled while it waits for %s, and its child ends first', async (_, text, status) => {
    model.current.restart([text]);
    const id = await client.submit(ask());
    const now = await client.until(id, ({ status: own, steps }) => {
      const [call] = steps[0]?.rounds?.[0]?.calls ?? [];
      return call !== undefined && own === status;
    });
    const child = roundsOf(now)[0]?.invocationId ?? '';
    await eventually(async () => (await client.get(`/v1/invocations/${child}`)).status === 200);
    await client.cancel(id);
    const [ended, endedChild] = [await client.untilEnded(id), await client.untilEnded(child)];
    expect([ended.status, endedChild.status]).toEqual(['cancelled', 'cancelled']);
    expect(Date.parse(endedChild.finishedAt ?? '')).toBeLessThanOrEqual(Date.parse(ended.finishedAt ?? ''));
  });
});
