import { MESSAGE_ROLES } from '@errand/contracts';
import { AUTHORS, completeSince, entriesOf } from './session-entries.js';

const at = (second: number) => `2026-11-23T10:00:0${second}.000Z`;

describe('The entries of a session', () => {
  it('The author of a message has a name for people, whatever its role', () => {
    const names = MESSAGE_ROLES.map((role) => AUTHORS[role]);
    expect(names).toEqual(['User', 'System', 'Agent', 'Observation', 'Observation', 'Event']);
  });

  it('Messages, invocations and refusals are in the order in which they happened', () => {
    const message = (id: string, second: number) => ({
      id,
      role: 'user' as const,
      content: 'x',
      invocationId: 'inv_1',
      round: null,
      at: at(second),
    });
    const invocation = (id: string, second: number) => ({
      id,
      status: 'succeeded' as const,
      createdAt: at(second),
      agent: null,
      responseText: null,
      steps: [],
      error: null,
      observation: null,
    });
    const refusal = {
      id: 'ref_1',
      at: at(2),
      code: 'unknown_tool' as const,
      text: 't',
      observation: null,
      recoveredBy: null,
    };
    const entries = entriesOf({
      messages: [message('m2', 3), message('m1', 1)],
      invocations: [invocation('inv_2', 4), invocation('inv_1', 1)],
      refusals: [refusal],
    });
    expect(entries.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'message m1',
      'invocation inv_1',
      'refusal ref_1',
      'message m2',
      'invocation inv_2',
    ]);
  });

  it('Entries before the oldest one of a list with unread items are left out', () => {
    const since = completeSince([
      { items: [{ at: at(5) }, { at: at(3) }], hasOlder: true },
      { items: [{ at: at(1) }], hasOlder: false },
      { items: [], hasOlder: true },
    ]);
    expect(since).toBe(Date.parse(at(3)));
    const refusal = { code: 'unknown_tool' as const, text: 't', observation: null, recoveredBy: null };
    const refusals = [1, 3, 5].map((second) => ({ ...refusal, id: `ref_${second}`, at: at(second) }));
    expect(entriesOf({ since, messages: [], invocations: [], refusals }).map(({ key }) => key)).toEqual([
      'ref_3',
      'ref_5',
    ]);
    expect(completeSince([])).toBe(-Infinity);
  });
});
