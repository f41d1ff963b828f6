import { join } from 'node:path';
import { sizeOf, type Computation, type JsonObject, type NodeContext } from '@errand/contracts';

/** Up to this size (values and characters), work in proportion to its input takes a fraction of a millisecond. */
const SMALL = 1_000;

/** The modules that a thread loads for a computation without and with an expression. */
const MODULE = join(__dirname, 'compute-thread');
const EXPRESSION_MODULE = join(__dirname, 'expression-thread');
/** The field of the input that has the name of the computation. */
const NAME = 'core:computation';

export type ComputationLimits = Pick<Computation, 'timeoutMs' | 'what' | 'advice'> &
  Partial<Pick<Computation, 'module'>>;

/** For the text of a language, named by its input: an expression, a pattern, a path. It may take very long for little data. */
export function languageLimits(input: string): ComputationLimits {
  return {
    timeoutMs: 3_000,
    what: `'${input}'`,
    advice: 'give it less data or fewer loops inside each other',
  };
}

/** For a CEL expression. */
export function expressionLimits(input: string): ComputationLimits {
  return { ...languageLimits(input), module: EXPRESSION_MODULE };
}

/** For work that is proportional to its data. */
export function dataLimits(name: string): ComputationLimits {
  return { timeoutMs: 10_000, what: name, advice: 'give it less data' };
}

interface Work<Input> {
  limits: ComputationLimits | ((input: Input) => ComputationLimits);
  compute: (input: Input) => JsonObject;
  /** Whether a small input takes a fraction of a millisecond. Without it, every small input does. It must be correct for every input. */
  isCheap?: (input: Input) => boolean;
}

/** The computations by name. Each gets the input of its own caller. */
const computations = new Map<string, (input: never) => JsonObject>();

/** Makes a function that computes in place if that is cheap, else in a thread. It depends on its input only. */
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
function isSmall(value: object, size = SMALL): boolean {
  return sizeOf(value, size) <= size;
}

/** Runs in a thread. */
export function runComputation({ [NAME]: name, ...input }: JsonObject): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller of the function of that name gave it
  return computations.get(name as string)!(input as never);
}
