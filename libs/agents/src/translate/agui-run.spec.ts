import type { InvocationEvent, RoundCall } from '@errand/contracts';
import { verifyEvents, type BaseEvent } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import * as fc from 'fast-check';
import { from, lastValueFrom, toArray, type MonoTypeOperatorFunction } from 'rxjs';
import { runEnded, runStarted, type AguiEvent } from '../index.js';
import { AguiRun } from './agui-run.js';

type Event = Exclude<InvocationEvent, { event: 'end' }>;

const TURN = 'inv_turn';
const observeFailure = (toolId: string, { message }: { message: string }) => `Observation: ${toolId}: ${message}`;

const begun = (calls: RoundCall[] = []) => new AguiRun({ id: TURN, rounds: [{ index: 0, calls }], observeFailure });
const events = (...given: Event[]) => {
  const run = begun();
  return [...given.flatMap((event) => run.translate(event)), ...run.close()];
};
const types = (list: readonly AguiEvent[]) => list.map(({ type }) => type);

const text = (delta: string, messageId = `${TURN}.0.a`): Event => ({ event: 'text', round: 0, messageId, delta });
const reasoning = (delta: string): Event => ({ event: 'reasoning', round: 0, messageId: `${TURN}.0.a`, delta });
const call = (callId: string, client = false, round = 0): Event => ({
  event: 'call',
  round,
  callId,
  toolId: client ? 'change_background' : 'core:math',
  arguments: { color: 'red' },
  invocationId: 'inv_child',
  client,
});
const called = (callId: string, more: object = { result: 3 }): Event => ({
  event: 'called',
  round: 0,
  callId,
  status: 'succeeded',
  ...more,
});

describe('Each event of a turn in AG-UI', () => {
  it('The begin and the end of a round are a step', () => {
    expect(
      events({ event: 'round', round: 2, status: 'running' }, { event: 'round', round: 2, status: 'succeeded' }),
    ).toEqual([
      { type: 'STEP_STARTED', stepName: 'round 2' },
      { type: 'STEP_FINISHED', stepName: 'round 2' },
    ]);
  });

  it('A refused round closes its step like any other', () => {
    const round: Event[] = [
      { event: 'round', round: 0, status: 'running' },
      { event: 'round', round: 0, status: 'refused' },
    ];
    expect(types(events(...round))).toEqual(['STEP_STARTED', 'STEP_FINISHED']);
  });

  it('Pieces of a text are one message', () => {
    const messageId = `${TURN}.0.a`;
    expect(events(text('Hel'), text(''), text('lo'))).toEqual([
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'Hel' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'lo' },
      { type: 'TEXT_MESSAGE_END', messageId },
    ]);
  });

  it('A reasoning is a message of its own, with another id than the text', () => {
    const messageId = `${TURN}.0.a.reasoning`;
    expect(events(reasoning('Hm'), text('Yes')).slice(0, 5)).toEqual([
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: 'Hm' },
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]);
  });

  it('A call is opened, gets its arguments and is closed at once, in the message of its round', () => {
    expect(events(text('Look'), call('c1')).slice(2)).toEqual([
      { type: 'TEXT_MESSAGE_END', messageId: `${TURN}.0.a` },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'core:math', parentMessageId: `${TURN}.0.a` },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"color":"red"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    ]);
  });

  it('The end of a server tool is a tool message, whose id follows from the place of the call in its round', () => {
    const ends = events(
      call('c1'),
      call('c2'),
      called('c2', { result: { sum: 3 } }),
      called('c1', { result: 'three' }),
    );
    expect(ends.slice(6)).toEqual([
      { type: 'TOOL_CALL_RESULT', messageId: `${TURN}.0.t1`, toolCallId: 'c2', content: '{"sum":3}', role: 'tool' },
      { type: 'TOOL_CALL_RESULT', messageId: `${TURN}.0.t0`, toolCallId: 'c1', content: 'three', role: 'tool' },
    ]);
  });

  it('A failed server tool has the Observation as its content', () => {
    const failed = called('c1', { status: 'failed', error: { type: 'NodeError', message: 'no' } });
    expect(events(call('c1'), failed).at(-1)).toMatchObject({ content: 'Observation: core:math: no' });
  });

  it('A client tool gets no result and stays pending until its end', () => {
    const run = begun();
    expect(types(run.translate(call('c1', true)))).toEqual(['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END']);
    expect(run.pendingToolCallIds).toEqual(['c1']);
    expect(run.translate(called('c1'))).toEqual([]);
    expect(run.pendingToolCallIds).toEqual([]);
  });

  it('A run behind an answer has no event of the calls that an earlier run opened, except the results of server tools', () => {
    const shared = { arguments: {}, status: 'running' as const };
    const run = begun([
      { callId: 's', toolId: 'core:math', ...shared },
      { callId: 'c', toolId: 'change_background', client: true, ...shared },
    ]);
    expect([called('c'), called('s')].flatMap((event) => run.translate(event))).toEqual([
      { type: 'TOOL_CALL_RESULT', messageId: `${TURN}.0.t0`, toolCallId: 's', content: '3', role: 'tool' },
    ]);
  });

  it('A change of the world state is a delta, and one of the private state is nothing', () => {
    const patch = [{ op: 'add', path: '/lamp', value: 'on' }];
    expect(events({ event: 'state', scope: 'world', patch }, { event: 'state', scope: 'private', patch })).toEqual([
      { type: 'STATE_DELTA', delta: patch },
    ]);
  });

  it('A text that was broken off is closed, and the text after it is another message', () => {
    const run = begun();
    const [first, second] = [`${TURN}.0.a`, `${TURN}.0.a.2`];
    const all = [text('Hel', first), { event: 'discard', messageId: first } as const, text('Hello', second)];
    expect(all.flatMap((event) => run.translate(event)).slice(2)).toEqual([
      { type: 'TEXT_MESSAGE_END', messageId: first },
      { type: 'TEXT_MESSAGE_START', messageId: second, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: second, delta: 'Hello' },
    ]);
    expect([run.messageOf(0), ...run.discarded]).toEqual([second, first]);
  });

  it.each<Event>([
    { event: 'status', status: 'running' },
    { event: 'step', index: 0, status: 'running' },
    { event: 'progress', value: 0.5 },
    { event: 'log', line: 'x', stream: 'node', step: 0 },
    { event: 'output', step: 0, chunk: 'x' },
  ])('The event $event has no place in AG-UI', (event) => {
    expect(events(event)).toEqual([]);
  });
});

describe('The order of the events of a run', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const round = fc.nat(2);
  const anyEvent: fc.Arbitrary<Event> = fc.oneof(
    fc.record({
      event: fc.constant('round' as const),
      round,
      status: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const, 'refused' as const),
    }),
    fc.record({
      event: fc.constantFrom('text' as const, 'reasoning' as const),
      round,
      messageId: id,
      delta: fc.string({ maxLength: 3 }),
    }),
    fc.record({ event: fc.constant('discard' as const), messageId: id }),
    fc.tuple(id, fc.boolean(), round).map(([callId, client, n]) => call(callId, client, n)),
    id.map((callId) => called(callId)),
  );

  it('The published client accepts every order of events, cut at any place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 30 }), async (given) => {
        const run = begun();
        const ids = { threadId: 't', runId: 'r', invocationId: TURN };
        const list = [
          runStarted(ids),
          ...given.flatMap((event) => run.translate(event)),
          ...run.close(),
          runEnded(ids, { status: 'succeeded', result: 'x', error: null }, []),
        ];
        const parsed = list.map((event) => EventSchema.parse(event) as BaseEvent);
        // The client has a copy of rxjs of its own, whose types differ.
        const accepted = await lastValueFrom(
          from(parsed).pipe(verifyEvents(false) as unknown as MonoTypeOperatorFunction<BaseEvent>, toArray()),
        );
        expect(accepted).toHaveLength(list.length);
      }),
      { numRuns: 300 },
    );
  });
});
