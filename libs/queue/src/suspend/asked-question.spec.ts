import { askedQuestion } from './asked-question.js';

const asks = (over: object = {}) => ({ for: 'answer', until: null, ...over });
const stateOf = (fields: Record<string, object>) =>
  new Map(Object.entries(fields).map(([field, value]) => [field, JSON.stringify(value)]));

describe('The question of a suspended invocation', () => {
  it('The question of a step has its number, prompt and schema', () => {
    const waiting = asks({ prompt: { what: 'x' }, schema: { type: 'string' } });
    expect(askedQuestion(stateOf({ '0': { status: 'succeeded' }, '1': { waiting } }))).toEqual({ ...waiting, step: 1 });
  });

  it('The question with the nearest deadline comes first, also when a node asks it', () => {
    const fields = {
      '0': { waiting: asks() },
      '1/a': { nodeId: 'a', waiting: asks({ key: 'a:1', until: '2026-01-02T00:00:00.000Z' }) },
      '1/b': { nodeId: 'b', waiting: asks({ key: 'b:1', until: '2026-01-01T00:00:00.000Z' }) },
    };
    expect(askedQuestion(stateOf(fields))).toEqual({ ...fields['1/b'].waiting, step: 1, nodeId: 'b' });
  });

  it('Waits for a time, hostile results and unknown fields are no questions', () => {
    const fields = {
      progress: {},
      '0': { waiting: asks({ for: 'time' }) },
      '1': { result: { waiting: asks() } },
      'once:0': { waiting: asks() },
    };
    expect(askedQuestion(stateOf(fields))).toBeUndefined();
  });

  it('A long prompt is cut, and a long schema is left out', () => {
    const waiting = asks({ prompt: 'p'.repeat(5_000), schema: { description: 'd'.repeat(9_000) } });
    expect(askedQuestion(stateOf({ '0': { waiting } }))).toEqual({
      ...asks({ prompt: 'p'.repeat(2_000), promptTruncated: { total: 5_000 } }),
      step: 0,
    });
  });
});
