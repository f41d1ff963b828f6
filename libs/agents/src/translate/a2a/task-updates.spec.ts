import type { A2aArtifactUpdate } from './a2a-shapes.js';
import { TaskUpdates } from './task-updates.js';
import type { Turn } from './turn-of.js';

const TURN: Turn = {
  id: 'inv_1',
  contextId: 'ses_1',
  status: 'succeeded',
  createdAt: 'a',
  startedAt: 'b',
  finishedAt: 'c',
  given: [],
  rounds: [],
  result: 'Hello you',
  error: null,
  files: [],
};
const text = (messageId: string, delta: string) => ({ event: 'text', messageId, delta }) as const;

function begun(): TaskUpdates {
  const updates = new TaskUpdates(TURN);
  updates.begin('running');
  return updates;
}

/** What a client has after these updates: `append` adds, anything else replaces. */
function assemble(updates: readonly object[]): string {
  let shown = '';
  for (const update of updates) {
    if (!('artifactUpdate' in update)) continue;
    const { append, artifact } = (update as A2aArtifactUpdate).artifactUpdate;
    const own = artifact.parts[0]?.text ?? JSON.stringify(artifact.parts[0]?.data);
    shown = append ? shown + own : own;
  }
  return shown;
}

it('The chunks of a text append to the artifact, and an empty one ends it', () => {
  const updates = begun();
  const sent = [...updates.take(text('1', 'Hello')), ...updates.take(text('1', ' you')), ...updates.rest(TURN)];
  expect(sent.flatMap((update) => ('artifactUpdate' in update ? [update.artifactUpdate] : []))).toMatchObject([
    { append: false, lastChunk: false, artifact: { artifactId: 'answer', parts: [{ text: 'Hello' }] } },
    { append: true, lastChunk: false, artifact: { parts: [{ text: ' you' }] } },
    { append: true, lastChunk: true, artifact: { parts: [{ text: '' }] } },
  ]);
  expect(sent.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED', timestamp: 'c' } } });
});

it('The text of another round replaces the text before', () => {
  const updates = begun();
  const sent = [
    ...updates.take(text('0', 'Let me see.')),
    ...updates.take(text('1', 'Hello you')),
    ...updates.rest(TURN),
  ];
  expect(assemble(sent)).toBe('Hello you');
});

it('The text after a discarded one replaces it', () => {
  const updates = begun();
  const sent = [
    ...updates.take(text('1', 'Hel')),
    ...updates.take({ event: 'discard', messageId: '1' }),
    ...updates.take(text('1.1', 'Hello')),
    ...updates.take(text('1.1', ' you')),
    ...updates.rest(TURN),
  ];
  expect(assemble(sent)).toBe('Hello you');
});

it('An answer that is not the text, or that was not streamed, is sent whole at the end', () => {
  const structured = begun();
  const sent = [...structured.take(text('1', '{"n":1}')), ...structured.rest({ ...TURN, result: { n: 1 } })];
  expect(sent.at(-2)).toMatchObject({
    artifactUpdate: { append: false, lastChunk: true, artifact: { parts: [{ data: { n: 1 } }] } },
  });
  expect(assemble(begun().rest(TURN))).toBe('Hello you');
});

it('A task that fails or waits sends no answer, and says why', () => {
  const error = { type: 'NodeError', message: 'Broken' } as const;
  expect(begun().rest({ ...TURN, status: 'failed', error })).toMatchObject([
    { statusUpdate: { status: { state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'NodeError: Broken' }] } } } },
  ]);
  const waiting = { for: 'answer', until: null, prompt: 'Which?' } as const;
  expect(begun().rest({ ...TURN, status: 'waiting_external', waiting })).toMatchObject([
    { statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which?' }] } } } },
  ]);
});

it('A status that the client knows is not sent again, and no task goes back to SUBMITTED', () => {
  const updates = begun();
  expect(updates.take({ event: 'status', status: 'running', at: 'x' })).toEqual([]);
  expect(updates.take({ event: 'status', status: 'queued', at: 'x' })).toEqual([]);
  expect(updates.take({ event: 'status', status: 'running', at: 'y' })).toEqual([]);
  expect(new TaskUpdates(TURN).take({ event: 'status', status: 'queued', at: 'x' })).toHaveLength(1);
});

it('Files are sent as artifacts before the end', () => {
  const file = { id: 'f', name: 'a.csv', contentType: 'text/csv', url: 'https://x.example/a.csv' };
  const sent = begun().rest({ ...TURN, files: [file] });
  expect(sent).toMatchObject([
    { artifactUpdate: { artifact: { artifactId: 'answer' } } },
    { artifactUpdate: { artifact: { artifactId: 'f', parts: [{ url: 'https://x.example/a.csv' }] } } },
    { statusUpdate: {} },
  ]);
});
