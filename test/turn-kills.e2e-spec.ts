import type { Invocation, Round } from '@errand/contracts';
import { turnLibrary } from './support/turn-library.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';
import type { SentEvent } from './support/client.js';

const model = useScriptedModel();
// The worker that takes over in one test is killed in the next one.
const stack = useStack(
  { library: turnLibrary(), env: { ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500' } },
  { keepsProcesses: true },
);
const { client } = stack;

const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const echo = (value: string) => `<core:echo><value>${value}</value></core:echo>`;
const ask = (more: object = {}) => ({ toolId: 'agent:guide', arguments: { message: 'Hello' }, ...more });
const roundsOf = ({ steps }: Invocation): Round[] => steps[0]?.rounds ?? [];

/** The text that a reader shows: without the messages that were discarded. */
function shownText(events: readonly SentEvent[]): string {
  const discarded = new Set(events.flatMap(({ event, data }) => (event === 'discard' ? [data['messageId']] : [])));
  return events
    .filter(({ event, data }) => event === 'text' && !discarded.has(data['messageId']))
    .map(({ data }) => String(data['delta']))
    .join('');
}

describe('A turn whose worker is killed', () => {
  it('A turn that dies in the middle of a sentence begins its text again, and discards the first', async () => {
    const never = new Promise<void>(() => {});
    model.current.restart([
      { text: ['I look ', 'for it now.'], hold: { pieces: 1, until: never } },
      'I look for it now.',
    ]);
    const worker = await stack.processes.haveOne('worker', model.current.env);
    const id = await client.submit(ask());
    await client.untilTold(id, ({ event, data }) => event === 'text' && data['delta'] === 'I look');
    await stack.processes.end(worker);
    await stack.processes.start('worker', model.current.env);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'I look for it now.' });
    const events = await client.events(id);
    expect(events.filter(({ event }) => event === 'discard')).toHaveLength(1);
    expect(shownText(events)).toBe('I look for it now.');
  });

  it('A turn that dies while a call runs does not ask the model again, and the call keeps its id', async () => {
    model.current.restart([act('I wait.', '<test:gate/>'), 'Done.']);
    const worker = await stack.processes.haveOne('worker', model.current.env);
    const id = await client.submit(ask({ session: 'kill' }));
    await client.untilTold(id, ({ event }) => event === 'call');
    const [before] = roundsOf(await client.read(id));
    await stack.processes.end(worker);
    await stack.processes.start('worker', model.current.env);
    // The round names its invocation before it submits it, so that the death can come between the two.
    const childId = before?.invocationId ?? '';
    await client.untilFound(childId);
    const child = await client.untilWaiting(childId);
    await client.answer(child.id, { result: 'open' });
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(model.current.requests).toHaveLength(2);
    const [after] = roundsOf(ended);
    expect(after).toMatchObject({ invocationId: before?.invocationId, calls: [{ callId: before?.calls[0]?.callId }] });
    const events = await client.events(id);
    expect(events.filter(({ event }) => event === 'call')).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'called')).toHaveLength(1);
  });

  it('A turn that waits for its caller outlives every process', async () => {
    model.current.restart([act('I paint.', '<paint/>'), 'It is red.']);
    const worker = await stack.processes.haveOne('worker', model.current.env);
    const id = await client.submit(ask({ arguments: { message: 'Paint', tools: [{ name: 'paint' }] } }));
    const waiting = await client.untilWaiting(id);
    await stack.processes.end(worker);
    const callId = roundsOf(waiting)[0]?.calls[0]?.callId ?? '';
    const answered = await client.post(`/v1/invocations/${id}/calls/${callId}/result`, { result: 'red' });
    expect(answered.status).toBe(202);
    await stack.processes.start('worker', model.current.env);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'It is red.' });
    expect(model.current.requests).toHaveLength(2);
  });

  it('Turns that die again and again write each message once', async () => {
    model.current.restart((request) =>
      request.last.startsWith('Observation') ? 'Done.' : act('Now.', echo('one'), echo('two')),
    );
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => client.submit(ask({ session: `many-${n}` }))));
    const first = await stack.processes.haveOne('worker', model.current.env);
    await eventually(() => model.current.requests.length > 5);
    await stack.processes.end(first);
    const second = await stack.processes.start('worker', model.current.env);
    // Each turn has to advance between two deaths: the second death without an advance ends it.
    const hasCalls = async (id: string) => (roundsOf(await client.read(id))[0]?.calls.length ?? 0) > 0;
    for (const id of ids) await eventually(() => hasCalls(id));
    await stack.processes.end(second);
    await stack.processes.start('worker', model.current.env);
    const ended = await Promise.all(ids.map((id) => client.untilEnded(id)));
    expect(ended.map(({ result }) => result)).toEqual(ids.map(() => 'Done.'));
    for (const turn of ended) {
      expect(roundsOf(turn)).toHaveLength(2);
      const events = await client.events(turn.id);
      expect(events.filter(({ event }) => event === 'call')).toHaveLength(2);
      expect(events.filter(({ event }) => event === 'called')).toHaveLength(2);
    }
  });
});
