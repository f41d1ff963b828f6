import { escapeKey } from '../files/json-pointer.js';
import type { SchemaError } from './schema-error.js';

/** The validation needs more steps than it may take. */
export class StepLimitError extends Error {
  constructor() {
    super('the validation needs too many steps');
    this.name = 'StepLimitError';
  }
}

/** Ends a run with enough errors. Finding the others would only cost time and memory. */
export class EnoughErrors extends Error {}

const MAX_ERRORS = 2_000;
const MAX_ERRORS_IN_CHOICE = 500;

/** Steps for each character of the JSON text of a value. A step takes about 25 ns. */
const STEPS_PER_CHARACTER = 3;

/**
 * References inside each other: more are endless. The stack of the process would end them as well, but at a depth that depends on how much
 * of the code is optimized, which can be after the step limit.
 */
const MAX_REFERENCES = 500;

const NOTHING_LISTED = { bag: undefined, keys: [] };

interface ValidationRunOptions {
  /** The whole value. Its size adds to the step limit. */
  value: unknown;
  steps: number;
  /** Whether the run collects all errors, or stops at the first one without creating it. */
  collects: boolean;
  /** Whether the run fills in defaults, in place. */
  fills: boolean;
}

/** The state of one validation. Each part that takes time takes steps, and the step limit ends the run. */
export class ValidationRun {
  readonly errors: SchemaError[] = [];
  collects: boolean;
  /** Whether defaults are filled in at this point. They are not in branches of a choice, which may not match. */
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
  private openReferences = 0;
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

  /** Extends the limit once by the size of the value. Most runs end before that. */
  private extend(): void {
    if (this.isExtended) throw new StepLimitError();
    this.isExtended = true;
    this.stepsLeft += STEPS_PER_CHARACTER * (JSON.stringify(this.value)?.length ?? 0);
    if (this.stepsLeft < 0) throw new StepLimitError();
  }

  /** @throws RangeError if the schema refers to itself without end */
  enterReference(): void {
    if (++this.openReferences > MAX_REFERENCES) throw new RangeError('The references are nested without end');
  }

  leaveReference(): void {
    this.openReferences--;
  }

  enter(key: string | number): void {
    this.keys.push(key);
  }

  leave(): void {
    this.keys.pop();
  }

  /** The property names of an object. They are kept, because branches of a choice ask for the same object. */
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

  /** Removes all defaults that were filled in. */
  undoFills(): void {
    for (const { bag, name } of this.filled) Reflect.deleteProperty(bag, name);
  }

  /** Starts a choice. Later errors may be dropped, because their branch need not match. */
  openChoice(): void {
    if (this.openChoices === 0) this.outermostChoice = this.errors.length;
    this.openChoices++;
  }

  closeChoice(): void {
    this.openChoices--;
  }

  /** Drops the errors of an unfinished choice, because it is open whether they count. */
  dropUnfinished(): void {
    if (this.openChoices > 0) this.errors.length = this.outermostChoice;
  }

  /**
   * Whether the run accepts another error. Inside a choice it stops early, to leave room for the error of the choice.
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

  /** The current path as a JSON Pointer. */
  pointer(): string {
    return this.keys.map((key) => `/${typeof key === 'number' ? key : escapeKey(key)}`).join('');
  }
}
