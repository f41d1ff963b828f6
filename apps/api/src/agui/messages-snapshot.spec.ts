import { AguiRun, type AguiInput, type AguiMessage } from '@errand/agents';
import type { Round } from '@errand/contracts';
import { messagesSnapshot } from './messages-snapshot.js';

const TURN = 'inv_turn';
const observeFailure = (toolId: string) => `${toolId} failed`;
const at = '2026-01-01T00:00:00.000Z';

const roundOf = (index: number, text: string, calls: Partial<Round['calls'][number]>[] = []): Round => ({
  index,
  status: 'succeeded',
  text,
  calls: calls.map((call, n) => ({
    callId: `${TURN}.${index}.c${n}`,
    toolId: 'core:echo',
    arguments: { value: n },
    status: 'succeeded',
    result: `result ${n}`,
    ...call,
  })),
  startedAt: at,
  finishedAt: at,
});

const sentOf = (messages: AguiMessage[]): AguiInput => ({
  threadId: 't',
  runId: 'r',
  tools: [],
  context: [],
  messages,
});

/** A run in which the first text of round 0 was broken off. */
function brokenRun(rounds: readonly Round[]): AguiRun {
  const run = new AguiRun({ id: TURN, rounds, observeFailure });
  const text = (messageId: string) => run.translate({ event: 'text', round: 0, messageId, delta: 'I' });
  text(`${TURN}.0.a`);
  run.translate({ event: 'discard', messageId: `${TURN}.0.a` });
  text(`${TURN}.0.a.2`);
  return run;
}

const snapshot = (sent: AguiMessage[], rounds: Round[]) =>
  messagesSnapshot(sentOf(sent), { id: TURN, steps: [{ rounds }] }, brokenRun(rounds), observeFailure).messages;

describe('The snapshot of the messages after a broken text', () => {
  it('The snapshot has the sent messages in their order, then those of the turn, and not the broken text', () => {
    const sent: AguiMessage[] = [
      { id: 'u1', role: 'user', content: 'Hi' },
      { id: `${TURN}.0.a`, role: 'assistant', content: 'I' },
    ];
    expect(snapshot(sent, [roundOf(0, 'I see.', [{}]), roundOf(1, 'Done.')])).toEqual([
      sent[0],
      {
        id: `${TURN}.0.a.2`,
        role: 'assistant',
        content: 'I see.',
        toolCalls: [
          { id: `${TURN}.0.c0`, type: 'function', function: { name: 'core:echo', arguments: '{"value":0}' } },
        ],
      },
      { id: `${TURN}.0.t0`, role: 'tool', toolCallId: `${TURN}.0.c0`, content: 'result 0' },
      { id: `${TURN}.1.a`, role: 'assistant', content: 'Done.' },
    ]);
  });

  it('A conversation of 10,000 messages is in the snapshot whole, each message once', () => {
    const sent = Array.from({ length: 10_000 }, (_, n): AguiMessage => {
      return { id: `m${n}`, role: n % 2 === 0 ? 'user' : 'assistant', content: `message ${n}` };
    });
    const own: AguiMessage = { id: `${TURN}.0.a.2`, role: 'assistant', content: 'half of a text' };
    const found = snapshot([...sent, own], [roundOf(0, 'The whole text.')]);
    expect(found.slice(0, -1)).toEqual(sent);
    expect(found.at(-1)).toEqual({ ...own, content: 'The whole text.' });
  });

  it('A turn at its limits is in the snapshot whole: 12 rounds of 250 KB of text with 64 calls each', () => {
    const text = '<ACTIO<think>a</think> '.repeat(11_000);
    const calls = Array.from({ length: 64 }, () => ({ result: 'r'.repeat(4_096) }));
    const rounds = Array.from({ length: 12 }, (_, index) => roundOf(index, text, calls));
    const found = snapshot([{ id: 'u', role: 'user', content: 'Hi' }], rounds);
    expect(found).toHaveLength(1 + 12 * 65);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    for (const { role, content } of found) {
      if (role === 'assistant') expect(content).toContain('<ACTIO ');
      if (role === 'assistant') expect(content).not.toContain('think');
    }
  });

  it('A client call, an open call and a message without an id are not in the snapshot', () => {
    const calls = [{ client: true }, { status: 'running' as const }, { status: 'failed' as const }];
    const found = snapshot([{ id: '', role: 'user', content: 'Hi' }], [roundOf(0, '', calls)]);
    expect(found.map(({ id, role }) => [id, role])).toEqual([
      [`${TURN}.0.a.2`, 'assistant'],
      [`${TURN}.0.t2`, 'tool'],
    ]);
    expect(found.at(-1)?.content).toBe('core:echo failed');
  });
});
