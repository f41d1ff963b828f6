import { toPushBody } from './to-push-body.js';
import type { Turn } from './turn-of.js';

const TURN: Turn = {
  id: 'inv_1',
  contextId: 'ses_1',
  status: 'waiting_external',
  createdAt: 'a',
  startedAt: 'b',
  finishedAt: null,
  given: [],
  rounds: [],
  result: null,
  error: null,
  waiting: { for: 'answer', until: null, prompt: 'Which?' },
  files: [],
};
const body = (turn: Turn, status: Turn['status'], version: '1.0' | '0.3' = '1.0') =>
  JSON.parse(toPushBody(turn, { status, at: 't' }, version)) as object;

it('The body is a status update with the time of the status', () => {
  expect(body(TURN, 'running')).toEqual({
    statusUpdate: { taskId: 'inv_1', contextId: 'ses_1', status: { state: 'TASK_STATE_WORKING', timestamp: 't' } },
  });
});

it('A status that still holds has its message: the question, the error or the answer', () => {
  const messageOf = (turn: Turn) => body(turn, turn.status);
  expect(messageOf(TURN)).toMatchObject({ statusUpdate: { status: { message: { parts: [{ text: 'Which?' }] } } } });
  const done: Turn = { ...TURN, status: 'succeeded', waiting: undefined, result: 'Blue' };
  expect(messageOf(done)).toMatchObject({ statusUpdate: { status: { message: { parts: [{ text: 'Blue' }] } } } });
  const failed: Turn = { ...done, status: 'failed', error: { type: 'NodeError', message: 'x' } };
  expect(messageOf(failed)).toMatchObject({
    statusUpdate: { status: { message: { parts: [{ text: 'NodeError: x' }] } } },
  });
});

it('A message that is too large is left out', () => {
  const done: Turn = { ...TURN, status: 'succeeded', result: 'x'.repeat(70_000) };
  expect(JSON.stringify(body(done, 'succeeded'))).not.toContain('message');
});

it('In 0.3 the body is the event itself', () => {
  expect(body(TURN, 'waiting_external', '0.3')).toEqual({
    kind: 'status-update',
    taskId: 'inv_1',
    contextId: 'ses_1',
    final: false,
    status: {
      state: 'input-required',
      timestamp: 't',
      message: {
        kind: 'message',
        messageId: 'inv_1.question',
        contextId: 'ses_1',
        taskId: 'inv_1',
        role: 'agent',
        parts: [{ kind: 'text', text: 'Which?' }],
        metadata: { until: null },
      },
    },
  });
  const states = (['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const).map((status) =>
    body(TURN, status, '0.3'),
  );
  expect(states).toMatchObject([
    { final: false, status: { state: 'submitted' } },
    { final: false, status: { state: 'working' } },
    { final: true, status: { state: 'completed' } },
    { final: true, status: { state: 'failed' } },
    { final: true, status: { state: 'canceled' } },
  ]);
});
