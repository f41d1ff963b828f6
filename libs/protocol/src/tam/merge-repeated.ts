import type { ToolInterface } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import { shapeOf } from '../values/shape-of.js';
import type { ValueSource } from '../values/value-source.js';
import type { Assigned } from './assign-parameters.js';
import type { Field } from './read-block.js';

/**
 * Converts the fields of a step to values. A numbered field replaces a shared one, and equal ones count once. The
 * schema decides on other repetitions: a list collects them, anything else is an error.
 */
export function mergeRepeated(assigned: readonly Assigned[], tool: ToolInterface, findings: Findings): ValueSource[] {
  if (!isRepeated(assigned)) return assigned.map(({ field, name }) => new FieldSource(field, name));
  const byName = new Map<string, Assigned[]>();
  for (const one of assigned) {
    const given = byName.get(one.name);
    if (given) given.push(one);
    else byName.set(one.name, [one]);
  }
  return [...byName].flatMap(([name, given]) => {
    const [only] = given;
    if (only && given.length === 1) return [new FieldSource(only.field, name)];
    const numbered = given.filter((one) => one.numbered);
    const isText = isString(name, tool);
    const values = new Map<string, Field>();
    for (const { field } of numbered.length > 0 ? numbered : given) {
      const key = isText ? field.value : field.value.trim();
      if (!values.has(key)) values.set(key, field);
      else findings.warn(field.at, `'${name}' is given again with the same value, which counts once`);
    }
    return [...values.values()].map((field) => new FieldSource(field, name));
  });
}

/** Up to this number, comparing all names is faster than a table. */
const MAX_COMPARED = 12;

/** Whether several fields may have one name. */
function isRepeated(assigned: readonly Assigned[]): boolean {
  if (assigned.length > MAX_COMPARED) return true;
  return assigned.some(({ name }, index) => assigned.findIndex((one) => one.name === name) < index);
}

function isString(name: string, { parameters }: ToolInterface): boolean {
  return shapeOf(parameters, parameters).shapeOfProperty(name).types?.has('string') ?? true;
}

const NONE: readonly never[] = [];

/** A field as a value: verbatim as a string, else trimmed. It has no children. */
class FieldSource implements ValueSource {
  readonly attributes = NONE;
  readonly children = NONE;
  readonly mixed = false;
  readonly fault = undefined;
  readonly misplaced = undefined;
  readonly at: number;

  constructor(
    private readonly field: Field,
    readonly name: string,
  ) {
    this.at = field.at;
  }

  get plain(): string {
    return this.field.value.trim();
  }

  get blank(): boolean {
    return this.plain === '';
  }

  get range(): readonly [number, number] {
    return [this.field.begin, this.field.end];
  }

  use(): void {}

  verbatim(): string {
    return this.field.value;
  }
}
