import { ToolError, type Json, type JsonObject } from '@errand/contracts';
import { cel } from './cel-environment.js';
import { jsonMaker } from './expression-value.js';

const MAX_LENGTH = 4_000;

/** Hints for corrections, by the beginning of CEL's message. */
const HINTS: readonly [RegExp, string][] = [
  [/^Unknown variable: (\w+)/, "; a text needs quotes ('…'), and the known names are: "],
  [/^no such overload: .*string.* \+ |^no such overload: .* \+ .*string/, '; write string(…) around the number'],
  [/^found no matching overload for '.*double/, '; write int(…) around a number that must be whole'],
  [/^(Logical operator|Ternary condition|filter)/, '; compare it, as in item.count > 0'],
  [/^No such key/, '; write has(a.b) to test whether it exists'],
];

/** Evaluates the expression with these variables. */
type Evaluate = (variables: JsonObject) => Json;

/**
 * Compiles a CEL expression and passes it to `work`. `input` is the name of its input. `meant` is the evaluated text, if it differs from
 * the source.
 * @throws ParameterValidationError if the expression cannot be parsed, NodeError if it cannot be evaluated
 */
export function withExpression<T>(
  input: string,
  source: string,
  work: (evaluate: Evaluate) => T,
  meant: string = source,
): T {
  const given = parse(input, source);
  const parsed = meant === source ? given : cel.parse(meant);
  const jsonOf = jsonMaker();
  return work((variables) => {
    try {
      // Without a prototype, `toString` is as unknown as any other name.
      return jsonOf(parsed(Object.assign(Object.create(null), variables)));
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new Error(`'${input}' cannot be evaluated: ${explain(error, Object.keys(variables))}`, { cause: error });
    }
  });
}

/** Checks the syntax of an expression. @throws ParameterValidationError */
export function readable(input: string): (source: string) => void {
  return (source) => void parse(input, source);
}

function parse(input: string, source: string): ReturnType<typeof cel.parse> {
  if (source.length > MAX_LENGTH)
    throw new ToolError('ParameterValidationError', `'${input}' is longer than ${MAX_LENGTH} characters`);
  try {
    return cel.parse(source);
  } catch (error) {
    const { range } = error as { range?: { start: number } };
    const position = range ? ` at character ${range.start + 1}` : '';
    throw new ToolError(
      'ParameterValidationError',
      `'${input}' is not a CEL expression: ${explain(error, [])}${position}`,
    );
  }
}

/** CEL's message without the lines that mark the position, with a hint if there is one. */
function explain(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message.replace(/\n.*/s, '') : String(error);
  const [, hint = ''] = HINTS.find(([begins]) => begins.test(message)) ?? [];
  return message + hint + (hint.endsWith(': ') ? names.slice(0, 20).join(', ') || 'none' : '');
}

/** For a condition: anything but true and false is an error, not a guess. */
export function isTrue(input: string, value: Json): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(
    `'${input}' must give true or false, got ${JSON.stringify(value).slice(0, 100)}; compare it, as in item.count > 0`,
  );
}
