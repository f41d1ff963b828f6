import { ToolError, type JsonObject } from '@errand/contracts';

const WORK: Record<string, (input: JsonObject) => unknown> = {
  echo: (input) => input,
  later: async (input) => Promise.resolve(input),
  spin: () => {
    for (;;);
  },
  fill: () => {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${kept.length}.${index}`));
  },
  fail: () => {
    throw new ToolError('SecurityError', 'not allowed', { place: 1 });
  },
  crash: () => {
    throw new RangeError('out of range');
  },
  exit: () => process.exit(3),
  nan: () => ({ list: [Number.NaN] }),
  list: () => [1],
  values: () => ({ list: Array.from({ length: 1_000_001 }, () => 1) }),
  text: () => ({ text: 'x'.repeat(10_000_001) }),
  deep: () => ({ deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown }),
};

export function run(input: JsonObject): unknown {
  return WORK[input['do'] as string]!(input);
}
