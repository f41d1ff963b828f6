import { evaluate } from './evaluate.js';
import type { SchemaError } from './schema-error.js';
import type { SchemaNode } from './schema-node.js';
import { EnoughErrors, StepLimitError, ValidationRun } from './validation-run.js';

/** The step limit for small values. One request can have a thousand values. */
const STEPS = 5_000;

/** A compiled schema. Validation takes a bounded number of steps, whatever the schema and the value. */
export class SchemaValidator {
  constructor(
    private readonly root: SchemaNode,
    private readonly fills: boolean,
    private readonly steps = STEPS,
  ) {}

  /**
   * All errors of a value, or the first ones if there are very many; empty if it matches. Defaults are filled in in
   * place. The first run only finds whether the value matches. The second run collects the errors, and may end early.
   * @throws RangeError for a schema that refers to itself without end
   */
  errorsOf(value: unknown): SchemaError[] {
    const run = this.start(value, false);
    try {
      if (evaluate(this.root, value, run, undefined)) return [];
    } catch (error) {
      if (!(error instanceof StepLimitError)) throw error;
      return [this.unexplained('stepLimit', value, 'must take fewer steps to validate; send less, or a simpler value')];
    }
    // Keywords that are checked before the defaults must not see them.
    run.undoFills();
    return this.explain(value);
  }

  private explain(value: unknown): SchemaError[] {
    const run = this.start(value, true);
    try {
      evaluate(this.root, value, run, undefined);
    } catch (error) {
      if (!(error instanceof StepLimitError || error instanceof EnoughErrors)) throw error;
      run.dropUnfinished();
    }
    if (run.errors.length > 0) return run.errors;
    return [this.unexplained('mismatch', value, 'must fit the schema; the reasons take too many steps to find')];
  }

  private start(value: unknown, collects: boolean): ValidationRun {
    return new ValidationRun({ value, steps: this.steps, collects, fills: this.fills });
  }

  private unexplained(keyword: string, data: unknown, message: string): SchemaError {
    const { schema } = this.root;
    return { keyword, instancePath: '', schemaPath: '#', params: {}, schema, parentSchema: schema, data, message };
  }
}
