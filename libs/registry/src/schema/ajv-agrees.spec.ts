import type { Json, JsonSchema } from '@errand/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { randomRuns } from '../../../../test/support/random-runs.js';
import { compileSchema, errorsOf } from './compile-schema.js';

/** Random schemas and values. The same seed gives the same cases. */
class Dice {
  constructor(private seed: number) {}

  roll(sides: number): number {
    this.seed = (this.seed * 48_271) % 2_147_483_647;
    return this.seed % sides;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.roll(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  value(depth: number): Json {
    const size = this.roll(4);
    const kind = this.roll(depth > 0 ? 7 : 5);
    if (kind === 5) return Array.from({ length: size }, () => this.value(depth - 1));
    if (kind === 6) return Object.fromEntries(NAMES.slice(0, size).map((name) => [name, this.value(depth - 1)]));
    return this.pick<Json>([null, true, false, 0, 1, 2, -3, 1.5, '', 'a', 'ab', 'abc', '2026-01-31']);
  }

  schema(depth: number): JsonSchema | boolean {
    if (this.roll(12) === 0) return this.roll(2) === 0;
    const entries = Array.from({ length: 1 + this.roll(3) }, () => this.keyword(depth));
    return Object.assign({}, ...entries);
  }

  /** A schema without references. */
  definition(): JsonSchema | boolean {
    const schema = this.schema(1);
    return JSON.stringify(schema).includes('$ref') ? { minimum: 1, required: ['a'] } : schema;
  }

  private keyword(depth: number): JsonSchema {
    const scalars: (() => JsonSchema)[] = [
      () => ({ type: this.pick(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']) }),
      () => ({ type: ['string', 'object', 'integer'] }),
      () => ({ const: this.value(1) }),
      () => ({ enum: [this.value(1), this.value(1), 'a'] }),
      () => ({ minimum: this.roll(3), maximum: 1 + this.roll(3) }),
      () => ({ exclusiveMinimum: this.roll(2), exclusiveMaximum: 2 }),
      () => ({ multipleOf: this.pick([1, 2, 0.5]) }),
      () => ({ minLength: this.roll(3), maxLength: 1 + this.roll(3) }),
      () => ({ pattern: this.pick(['^a', 'b$', 'c']), format: 'date' }),
      () => ({ minItems: this.roll(3), maxItems: 1 + this.roll(3), uniqueItems: this.roll(2) === 0 }),
      () => ({ minProperties: this.roll(3), maxProperties: 1 + this.roll(3) }),
      () => ({ required: [this.pick(NAMES)] }),
      () => ({ dependentRequired: { a: ['b'] } }),
    ];
    if (depth === 0) return this.pick(scalars)();
    const nested = () => this.schema(depth - 1);
    const applicators: (() => JsonSchema)[] = [
      () => ({ properties: { a: nested(), b: nested() } }),
      () => ({ properties: { a: { default: 1 }, b: nested() }, additionalProperties: nested() }),
      () => ({ patternProperties: { '^[ab]': nested() }, additionalProperties: this.roll(2) === 0 }),
      () => ({ propertyNames: { maxLength: 1 } }),
      () => ({ items: nested() }),
      () => ({ prefixItems: [nested()], items: nested() }),
      () => ({ contains: nested(), minContains: this.roll(2), maxContains: 1 + this.roll(2) }),
      () => ({ contains: nested() }),
      () => ({ anyOf: [nested(), nested()] }),
      () => ({ oneOf: [nested(), nested()] }),
      () => ({ allOf: [nested(), nested()] }),
      // In nested conditions, ajv accepts some invalid values.
      () => ({ not: this.schema(0) }),
      () => ({ if: this.schema(0), else: nested() }),
      () =>
        Object.fromEntries([
          ['if', this.schema(0)],
          [BRANCHES[0], nested()],
        ]),
      () => ({ dependentSchemas: { a: nested() } }),
      () => ({ $ref: this.pick(['#/$defs/x', '#/$defs/y']) }),
    ];
    return this.pick(this.roll(3) === 0 ? scalars : applicators)();
  }
}

const BRANCHES = ['then', 'else'] as const;
const NAMES = ['a', 'b', 'c', 'long'];
const ROUNDS = randomRuns(300);

/** The options of the validator, without its limits. */
const options = { strict: false, allErrors: true, ownProperties: true, inlineRefs: false, logger: false } as const;

/** The parts of an error that must agree. The path of ajv begins again behind a `$ref`. */
const shown = ({ keyword, instancePath, schemaPath }: { keyword: string; instancePath: string; schemaPath: string }) =>
  `${instancePath} ${decodeURIComponent(schemaPath).replace(/^#\/\$defs\/[xy]/, '#')} ${keyword}`;

describe.each(['inputs', 'outputs'] as const)('Random schemas and values for %s', (purpose) => {
  const ajv = new Ajv2020({ ...options, useDefaults: purpose === 'inputs' });
  addFormats.default(ajv);
  const dice = new Dice(purpose === 'inputs' ? 11 : 12);

  it('Random schemas give the same errors and the same defaults as ajv', () => {
    let failures = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const body = { allOf: [dice.schema(3)], $defs: { x: { type: ['integer', 'object'] }, y: dice.definition() } };
      const validator = compileSchema(body, purpose);
      if (Array.isArray(validator)) throw new Error(`${JSON.stringify(body)}: ${validator[0]?.message}`);
      const expected = ajv.compile(body);
      for (let each = 0; each < 8; each++) {
        const value = dice.value(3);
        const [ours, theirs]: Json[] = JSON.parse(JSON.stringify([value, value]));
        const errors = errorsOf(validator, ours);
        const isValid = expected(theirs);
        if (!isValid) failures++;
        const context = { schema: body, value };
        expect({ ...context, errors: Array.isArray(errors) ? errors.map(shown) : errors }).toEqual({
          ...context,
          errors: (isValid ? [] : (expected.errors ?? [])).map(shown),
        });
        if (isValid) expect({ ...context, filled: ours }).toEqual({ ...context, filled: theirs });
      }
    }
    expect(failures).toBeGreaterThan(ROUNDS);
  });
});
