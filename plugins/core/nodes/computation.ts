import { join } from 'node:path';
import { sizeOf, type Computation, type JsonObject, type NodeContext } from '@errand/contracts';

/** Up to this size (values and characters) work that grows with its input takes a fraction of a millisecond. */
const SMALL = 1_000;

/** The module that a thread loads, and the name under which it finds the name of the computation beside its input. */
const MODULE = join(__dirname, 'compute-thread');
const NAME = 'core:computation';

export type Limits = Pick<Computation, 'timeoutMs' | 'what' | 'advice'>;

/** For a sentence of a language, named by its input: an expression, a pattern, a path. It may take very long for little data. */
export function languageLimits(input: string): Limits {
  return {
    timeoutMs: 3_000,
    what: `'${input}'`,
    advice: 'give it less data or fewer loops inside each other',
  };
}

/** For work in proportion to its data. */
export function dataLimits(name: string): Limits {
  return { timeoutMs: 10_000, what: name, advice: 'give it less data' };
}

interface Work<Input> {
  limits: Limits | ((input: Input) => Limits);
  compute: (input: Input) => JsonObject;
  /** Whether a small input takes a fraction of a millisecond here; without it, each does. It must hold for every input. */
  isCheap?: (input: Input) => boolean;
}

/** By name. Each gets what its own caller gave. */
const computations = new Map<string, (input: never) => JsonObject>();

/** Makes a function that computes in place where that is cheap, else in a thread. It depends on its input alone. */
export function computation<Input extends object>(
  name: string,
  { limits, compute, isCheap = () => true }: Work<Input>,
): (input: Input, context: Pick<NodeContext, 'compute'>) => JsonObject | Promise<JsonObject> {
  computations.set(name, compute);
  return (input, context) => {
    if (isSmall(input) && isCheap(input)) return compute(input);
    const chosen = typeof limits === 'function' ? limits(input) : limits;
    return context.compute({ module: MODULE, input: { ...input, [NAME]: name }, ...chosen });
  };
}

/** Whether a value has at most `size` values and characters. */
export function isSmall(value: object, size = SMALL): boolean {
  return sizeOf(value, size) <= size;
}

/** What a thread runs. */
export function runComputation({ [NAME]: name, ...input }: JsonObject): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was given by the caller of the function of that name
  return computations.get(name as string)!(input as never);
}
