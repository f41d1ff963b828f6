import type { SessionMessage } from '@errand/contracts';
import * as fc from 'fast-check';
import { writeHistory } from './write-history.js';

let number = 0;
function message(role: SessionMessage['role'], content: string, more: Partial<SessionMessage> = {}): SessionMessage {
  number += 1;
  return { id: `m${number}`, role, content, invocationId: 'inv_x', round: 0, at: '2026-01-01T00:00:00.000Z', ...more };
}
const calling = (id: string): Partial<SessionMessage> => ({
  toolCalls: [{ id, type: 'function', function: { name: 'echo', arguments: '{}' } }],
});
const contents = (history: ReturnType<typeof writeHistory>) => history.messages.map(({ content }) => content);

describe('The history that a model gets', () => {
  it('Observations and events become messages of the user', () => {
    const stored = [
      message('user', 'hi'),
      message('assistant', 'a'),
      message('observation', 'o'),
      message('event', 'e'),
    ];
    expect(writeHistory({ messages: stored, older: 0 }, 100).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'user',
    ]);
  });

  it('Native calls keep their form', () => {
    const stored = [
      message('user', 'hi'),
      message('assistant', '', calling('c')),
      message('tool', 'r', { toolCallId: 'c' }),
    ];
    expect(writeHistory({ messages: stored, older: 0 }, 100).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'echo', arguments: '{}' } }],
      },
      { role: 'tool', content: 'r', tool_call_id: 'c' },
    ]);
  });

  it('The oldest rounds are left out whole', () => {
    const stored = [
      message('user', '12345'),
      message('assistant', '12345'),
      message('observation', '12345'),
      message('user', 'now'),
    ];
    expect(writeHistory({ messages: stored, older: 7 }, 12)).toMatchObject({
      messages: [{ content: 'now' }],
      left: 10,
    });
    expect(contents(writeHistory({ messages: stored, older: 0 }, 18))).toEqual(['12345', '12345', '12345', 'now']);
  });

  it('The messages that began the turn stay, whatever follows them', () => {
    const begin = message('user', 'Do it');
    const stored = [message('user', 'old'), begin, message('assistant', 'x'.repeat(50)), message('observation', 'y')];
    const history = writeHistory({ messages: stored, older: 0 }, 10, [begin]);
    expect(contents(history)).toEqual(['Do it', 'x'.repeat(50), 'y']);
    expect(history.left).toBe(1);
  });

  it('An answer without its call, at the begin of what was read, is left out', () => {
    const stored = [message('tool', 'r', { toolCallId: 'c' }), message('user', 'now')];
    expect(writeHistory({ messages: stored, older: 3 }, 100)).toMatchObject({
      messages: [{ content: 'now' }],
      left: 4,
    });
  });

  it('In every history each answer stands behind its call', () => {
    const round = fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 12 }), fc.nat(200), fc.nat(3), (rounds, maxChars, cut) => {
        const stored = rounds.flatMap((results, n) => [
          message('user', `u${n}`),
          message(
            'assistant',
            'a',
            results.length > 0
              ? {
                  toolCalls: results.map((_, k) => ({
                    id: `${n}.${k}`,
                    type: 'function',
                    function: { name: 'f', arguments: '{}' },
                  })),
                }
              : {},
          ),
          ...results.map((result, k) => message('tool', result, { toolCallId: `${n}.${k}` })),
        ]);
        const { messages, left } = writeHistory({ messages: stored.slice(cut), older: cut }, maxChars);
        expect(left + messages.length).toBe(Math.max(stored.length, cut));
        const open = new Set<unknown>();
        for (const { role, tool_calls: made, tool_call_id: id } of messages) {
          for (const { id: own } of (made as { id: string }[] | undefined) ?? []) open.add(own);
          if (role === 'tool') expect(open.has(id)).toBe(true);
        }
      }),
    );
  });
});
