import { readInboxQuery } from './read-inbox-query.js';

const POSITION = '000000000000001:inv_1';

describe('The cursor of the inbox', () => {
  it('A cursor continues the list that gave it', () => {
    const cursor = readInboxQuery('acme', { kind: 'answer' }).toCursor(POSITION) ?? '';
    expect(readInboxQuery('acme', { kind: 'answer', cursor }).after).toBe(POSITION);
  });

  it('A cursor of another kind, tool, agent or tenant is refused', () => {
    const cursor = readInboxQuery('acme', { kind: 'answer' }).toCursor(POSITION) ?? '';
    const others = [
      {},
      { kind: 'approval' },
      { kind: 'answer', toolId: 'core:ask' },
      { kind: 'answer', agent: 'a' },
    ] as const;
    for (const query of others)
      expect(() => readInboxQuery('acme', { ...query, cursor })).toThrow(/other filters; begin without a cursor/);
    expect(() => readInboxQuery('other', { kind: 'answer', cursor })).toThrow(/other filters/);
  });
});
