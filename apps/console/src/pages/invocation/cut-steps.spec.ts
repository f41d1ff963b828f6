import type { Step } from '@errand/contracts';
import { cutSteps } from './cut-steps.js';

const step = (index: number, rest: Partial<Step>): Step => ({
  index,
  toolId: 'office:archive',
  version: '1.0.0',
  arguments: {},
  status: 'succeeded',
  startedAt: null,
  finishedAt: null,
  attempts: 1,
  ...rest,
});

describe('The steps whose results are cut in the observation', () => {
  it('A step is cut if its result is longer than the whole observation', () => {
    const steps = [
      step(0, { result: 'short' }),
      step(1, { result: 'w'.repeat(50) }),
      step(2, { result: { a: 'x'.repeat(40) } }),
      step(3, { result: 'the beginning', resultTruncated: { total: 400_000 } }),
      step(4, {}),
    ];
    expect(cutSteps({ observation: 'o'.repeat(45), steps }).map(({ index }) => index)).toEqual([1, 2, 3]);
    expect(cutSteps({ observation: null, steps })).toEqual([]);
  });
});
