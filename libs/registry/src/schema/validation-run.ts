import { escapeKey } from '../json-pointer.js';
import type { SchemaError } from './schema-error.js';

/** The validation needs more steps than it may take. */
export class StepLimitError extends Error {
  constructor() {
    super('the validation needs too many steps');
    this.name = 'StepLimitError';
  }
}

/** Enough errors are known; finding the others would only cost time and memory. */
export class EnoughErrors extends Error {}

const MAX_ERRORS = 2_000;

/** Steps for every value, and for each character of its JSON text. A step takes some 25 ns. */
const STEPS = 200_000;
const STEPS_PER_CHARACTER = 4;

export interface RunOptions {
  /** The whole value. Its size decides how many steps the run may take. */
  value: unknown;
  /** Whether the run looks for all errors, or stops at the first mismatch and makes no errors. */
  collects: boolean;
  /** Whether the run fills in defaults, in place. */
  fills: boolean;
}

/** The state of one validation. Every part of it that takes time takes steps, and the last step ends it. */
export class ValidationRun {
  readonly errors: SchemaError[] = [];
  collects: boolean;
  /** Whether defaults are filled in here: not in branches of a choice, which may not be the ones that fit. */
  fills: boolean;
  /** Whether this run fills in defaults at all. */
  readonly mayFill: boolean;
  propertyName: string | undefined;
  private readonly keys: (string | number)[] = [];
  private readonly value: unknown;
  private readonly filled: { bag: object; name: string }[] = [];
  private stepsLeft = STEPS;
  private isExtended = false;
  private openChoices = 0;
  private outermostChoice = 0;

  constructor({ value, collects, fills }: RunOptions) {
    this.value = value;
    this.collects = collects;
    this.fills = fills;
    this.mayFill = fills;
  }

  /** @throws StepLimitError if no steps are left */
  take(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) this.extend();
  }

  /** Most runs end before the size of the value matters: it is measured when it does, once. */
  private extend(): void {
    if (this.isExtended) throw new StepLimitError();
    this.isExtended = true;
    this.stepsLeft += STEPS_PER_CHARACTER * (JSON.stringify(this.value)?.length ?? 0);
    if (this.stepsLeft < 0) throw new StepLimitError();
  }

  enter(key: string | number): void {
    this.keys.push(key);
  }

  leave(): void {
    this.keys.pop();
  }

  /** Adds a property whose default is `value`. */
  fill(bag: object, name: string, value: unknown): void {
    Object.defineProperty(bag, name, { value, writable: true, enumerable: true, configurable: true });
    this.filled.push({ bag, name });
  }

  /** Takes back all defaults that were filled in. */
  undoFills(): void {
    for (const { bag, name } of this.filled) Reflect.deleteProperty(bag, name);
  }

  /** Errors from now on may be dropped: they belong to a branch that need not fit. */
  openChoice(): void {
    if (this.openChoices === 0) this.outermostChoice = this.errors.length;
    this.openChoices++;
  }

  closeChoice(): void {
    this.openChoices--;
  }

  /** Drops the errors of an unfinished choice: it is not known yet whether they count. */
  dropUnfinished(): void {
    if (this.openChoices > 0) this.errors.length = this.outermostChoice;
  }

  /** Adds an error at the current place. @throws EnoughErrors if there are many already */
  report(error: Omit<SchemaError, 'instancePath' | 'propertyName'>): void {
    if (!this.collects) return;
    if (this.errors.length >= MAX_ERRORS) {
      if (this.openChoices === 0) throw new EnoughErrors();
      return;
    }
    this.take(8);
    const { propertyName } = this;
    this.errors.push({
      ...error,
      instancePath: this.keys.map((key) => `/${typeof key === 'number' ? key : escapeKey(key)}`).join(''),
      ...(propertyName !== undefined && { propertyName }),
    });
  }
}
