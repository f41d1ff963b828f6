import { Environment } from '@marcbachmann/cel-js';

/** The cost of nested loops and doublings multiplies. The depth bounds the output of an expression with little data. */
const LIMITS = { maxAstNodes: 1_000, maxDepth: 32 };

type Arithmetic = (a: number | bigint, b: number | bigint) => number;

const modulo: Arithmetic = (a, b) => Number(a) % Number(b);

const ARITHMETIC: Record<string, Arithmetic> = {
  '+': (a, b) => Number(a) + Number(b),
  '-': (a, b) => Number(a) - Number(b),
  '*': (a, b) => Number(a) * Number(b),
  '/': (a, b) => Number(a) / Number(b),
  '%': modulo,
};

const OF_NUMBER: Record<string, (value: number) => number> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  round: Math.round,
};

const OF_LIST: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  min: (values) => least(values, (a, b) => a < b),
  max: (values) => least(values, (a, b) => a > b),
};

/**
 * CEL for JSON. In CEL, a number from JSON is a `double` and `1` in an expression is an `int`. CEL mixes the two in comparisons only.
 * Here arithmetic mixes them, too, and yields a double. Two ints keep CEL's rules: `7 / 2` is 3, but `a / 2` with a = 7 is 3.5.
 */
export const cel = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: LIMITS,
});

for (const [operator, calculate] of Object.entries(ARITHMETIC)) {
  cel.registerOperator(`double ${operator} int: double`, calculate);
  cel.registerOperator(`int ${operator} double: double`, calculate);
}
cel.registerOperator('double % double: double', modulo);
for (const [name, calculate] of Object.entries(OF_NUMBER)) {
  cel.registerFunction(`${name}(double): double`, calculate);
  cel.registerFunction(`${name}(int): double`, (value: bigint) => calculate(Number(value)));
}
for (const [name, calculate] of Object.entries(OF_LIST)) {
  cel.registerFunction(`${name}(list): double`, (values: Iterable<unknown>) =>
    calculate(Array.from(values, (value) => numberOf(name, value))),
  );
}

/** The names of CEL's types, and `cel`. An expression sees them as variables. */
export const TYPES: readonly string[] = cel.getDefinitions().variables.map(({ name }) => name);

function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw new Error(`${name}() needs a list of numbers`);
}

function least(values: number[], before: (a: number, b: number) => boolean): number {
  if (values.length === 0) throw new Error('an empty list has neither a least nor a greatest number');
  return values.reduce((best, value) => (before(value, best) ? value : best));
}
