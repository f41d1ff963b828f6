import { inBatches, withoutBatches, type JournalField } from './journal-batches.js';

const outcomes = (count: number): JournalField[] =>
  Array.from({ length: count }, (_, n) => [`0/n${n}`, { nodeId: `n${n}`, result: { value: n } }]);

const stored = (fields: readonly JournalField[]) =>
  Object.fromEntries(fields.map(([field, value]) => [field, JSON.stringify(value)]));

describe('Batches of outcomes in the journal', () => {
  it('Many outcomes are one field, few outcomes are fields of their own, and both read alike', () => {
    for (const [count, fields] of [
      [0, 0],
      [49, 49],
      [50, 1],
      [3_000, 1],
    ] as const) {
      const written = inBatches(outcomes(count));
      expect(written).toHaveLength(fields);
      expect(withoutBatches(stored(written))).toEqual(new Map(Object.entries(stored(outcomes(count)))));
    }
  });

  it('An outcome in a batch replaces the wait of its node, whatever the order of the fields is', () => {
    const wait: JournalField = ['0/n7', { nodeId: 'n7', waiting: { for: 'time' } }];
    const batch = inBatches(outcomes(60));
    for (const fields of [
      [wait, ...batch],
      [...batch, wait],
    ])
      expect(JSON.parse(withoutBatches(stored(fields)).get('0/n7') ?? '')).toEqual(outcomes(60)[7]?.[1]);
  });

  it('Nodes with hostile names keep their outcomes', () => {
    const names = ['0/__proto__', '0/batch:0/x', '0/constructor', '0/"\\\u2028'];
    const hostile = [...names.map((name): JournalField => [name, { nodeId: name }]), ...outcomes(60)];
    const read = withoutBatches(stored(inBatches(hostile)));
    for (const name of names) expect(read.get(name)).toBe(JSON.stringify({ nodeId: name }));
    expect(read.size).toBe(hostile.length);
  });
});
