import { escapeKey } from '../files/json-pointer.js';
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
const MAX_ERRORS_IN_CHOICE = 500;

/** Steps for each character of the JSON text of a value. A step takes some 25 ns. */
const STEPS_PER_CHARACTER = 3;

const NOTHING_LISTED = { bag: undefined, keys: [] };

export interface ValidationRunOptions {
  /** The whole value. The run may take steps for its size beside its own. */
  value: unknown;
  steps: number;
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
  private listed: { bag: object | undefined; keys: readonly string[] } = NOTHING_LISTED;
  private readonly filled: { bag: object; name: string }[] = [];
  private stepsLeft: number;
  private isExtended = false;
  private openChoices = 0;
  private outermostChoice = 0;

  constructor({ value, steps, collects, fills }: ValidationRunOptions) {
    this.value = value;
    this.stepsLeft = steps;
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

  /** The names of the properties of an object. Branches of a choice ask for those of one object: they are listed once. */
  keysOf(bag: object): readonly string[] {
    if (this.listed.bag !== bag) {
      this.listed = { bag, keys: Object.keys(bag) };
      this.take(4 * this.listed.keys.length);
    }
    this.take(this.listed.keys.length);
    return this.listed.keys;
  }

  /** Adds a property whose default is `value`. */
  fill(bag: object, name: string, value: unknown): void {
    Object.defineProperty(bag, name, { value, writable: true, enumerable: true, configurable: true });
    this.filled.push({ bag, name });
    this.listed = NOTHING_LISTED;
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

  /**
   * Whether the run takes another error. Inside a choice it stops taking them early, so that there is room for the choice itself.
   * @throws EnoughErrors if there are many errors that count
   */
  takesError(): boolean {
    if (!this.collects) return false;
    const { length } = this.errors;
    if (this.openChoices > 0) return length - this.outermostChoice < MAX_ERRORS_IN_CHOICE;
    if (length >= MAX_ERRORS) throw new EnoughErrors();
    return true;
  }

  /** Adds an error. */
  report(error: SchemaError): void {
    this.take(8);
    this.errors.push(error);
  }

  /** The current place as a JSON Pointer. */
  pointer(): string {
    return this.keys.map((key) => `/${typeof key === 'number' ? key : escapeKey(key)}`).join('');
  }
}
