import type { NodeState } from '@errand/contracts';
import { inBatches, withoutBatches, type JournalField } from './journal-batches.js';

const AT = '2026-01-01T00:00:00.000Z';

const outcome = (nodeId: string, more: Partial<NodeState> = {}): NodeState => ({
  nodeId,
  type: 'test:pure',
  status: 'succeeded',
  attempts: 1,
  startedAt: AT,
  finishedAt: AT,
  inputs: { nodeId },
  result: { value: nodeId },
  ...more,
});

const outcomes = (count: number) => Array.from({ length: count }, (_, n) => outcome(`n${n}`));

const stored = (fields: readonly JournalField[]) =>
  Object.fromEntries(fields.map(([field, value]) => [field, JSON.stringify(value)]));

/** The journal as a reader gets it: field → value. */
const read = (fields: readonly JournalField[]) =>
  new Map([...withoutBatches(stored(fields))].map(([field, text]) => [field, JSON.parse(text) as unknown]));

const byField = (states: readonly NodeState[]) => new Map(states.map((state) => [`0/${state.nodeId}`, state]));

describe('Batches of outcomes in the journal', () => {
  it('Many outcomes are one field, few outcomes are fields of their own, and both read alike', () => {
    for (const [count, fields] of [
      [0, 0],
      [49, 49],
      [50, 1],
      [3_000, 1],
    ] as const) {
      const written = inBatches('0/', outcomes(count));
      expect(written).toHaveLength(fields);
      expect(read(written)).toEqual(byField(outcomes(count)));
    }
  });

  it('A batch of an earlier version, which has whole outcomes, is read as well', () => {
    const whole = outcomes(50).map((state): JournalField => [`0/${state.nodeId}`, state]);
    expect(read([['batch:0/n0', whole]])).toEqual(byField(outcomes(50)));
  });

  it('A batch keeps each part of an outcome that differs from that of its neighbours', () => {
    const { inputs: _, ...withoutInputs } = outcome('without-inputs');
    const { attempts: __, ...withoutAttempts } = outcome('without-attempts');
    const different = [
      outcome('type', { type: 'test:other' }),
      outcome('attempts', { attempts: 2 }),
      outcome('begun', { startedAt: '2025-12-31T23:59:59.999Z' }),
      outcome('ended', { finishedAt: '2026-01-01T00:00:00.001Z' }),
      outcome('null', { result: null }),
      withoutInputs,
      withoutAttempts,
      outcome('failed', { status: 'failed', error: { type: 'NodeError', message: 'no luck' } }),
    ];
    const mixed = different.flatMap((state) => [
      state,
      ...outcomes(50).map((one) => ({ ...one, nodeId: `${state.nodeId}-${one.nodeId}` })),
    ]);
    expect(read(inBatches('0/', mixed))).toEqual(byField(mixed));
  });

  it('A failure in a batch of outcomes has a field of its own', () => {
    const { result: _, ...failed } = outcome('failed', { status: 'failed', error: { type: 'NodeError', message: '' } });
    const fields = inBatches('0/', [failed, ...outcomes(60)]);
    expect(fields.map(([field]) => field)).toEqual(['batch:0/failed', '0/failed']);
    expect(read(fields)).toEqual(byField([failed, ...outcomes(60)]));
  });

  it('The JSON of a batch is less than a third of the JSON of its outcomes', () => {
    const size = (fields: readonly JournalField[]) => JSON.stringify(fields).length;
    expect(size(inBatches('0/', outcomes(1_000)))).toBeLessThan(size([...byField(outcomes(1_000))]) / 3);
  });

  it('An outcome in a batch replaces the wait of its node, whatever the order of the fields is', () => {
    const wait: JournalField = ['0/n7', { nodeId: 'n7', waiting: { for: 'time' } }];
    const batch = inBatches('0/', outcomes(60));
    for (const fields of [
      [wait, ...batch],
      [...batch, wait],
    ])
      expect(read(fields).get('0/n7')).toEqual(outcome('n7'));
  });

  it('Nodes with hostile names keep their outcomes', () => {
    const names = ['__proto__', 'batch:0/x', 'constructor', '"\\\u2028'];
    const hostile = [...names.map((name) => outcome(name)), ...outcomes(60)];
    expect(read(inBatches('0/', hostile))).toEqual(byField(hostile));
  });
});
