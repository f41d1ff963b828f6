import type { Json, JsonSchema } from '@errand/contracts';
import { stringOf, valueOf } from './python-values.js';
import { betweenCommas, type SourceNode } from './source-node.js';

/** The docstring of a function or class. */
export function docOfBody(body: SourceNode | undefined): string | undefined {
  const [first] = body?.children().filter(({ kind }) => kind !== ':' && kind !== 'Comment') ?? [];
  // Examples: `"""Words.""" ; return x` on one line, and words in brackets.
  const statement = first?.kind === 'StatementGroup' ? first.child('ExpressionStatement') : first;
  const value = statement?.child('ParenthesizedExpression') ?? statement;
  const literal = statement?.kind === 'ExpressionStatement' ? value?.child('String', 'ContinuedString') : undefined;
  return literal && stringOf(literal);
}

/** The text of the decorators of a definition. */
export function decoratorsOf(definition: SourceNode): string {
  const parent = definition.parent();
  return parent?.kind === 'DecoratedStatement'
    ? parent
        .all('Decorator')
        .map(({ text }) => text)
        .join('\n')
    : '';
}

/** The aliased type in `X: TypeAlias = …`, `X = …` and `X = NewType('X', int)`. */
export function aliased(value: SourceNode): SourceNode | undefined {
  if (value.kind !== 'CallExpression') return value;
  return /^(?:\w+\.)?NewType\b/.test(value.text) ? betweenCommas(value.child('ArgList'))[1]?.[0] : undefined;
}

/** The default of `= 3`, `= field(default=3)` and pydantic's `= Field(3)`. */
export function defaultOf(given: SourceNode): Json | undefined {
  if (given.kind !== 'CallExpression') return valueOf(given);
  for (const [first, second, third] of betweenCommas(given.child('ArgList'))) {
    if (first.text === 'default' && second?.kind === 'AssignOp') return valueOf(third);
    if (first.text === 'default_factory' && /^(?:list|dict)$/.test(third?.text ?? ''))
      return third?.text === 'list' ? [] : {};
    if (!second && given.text.startsWith('Field(')) return valueOf(first);
  }
  return undefined;
}

const LIMITS: Readonly<Record<string, string>> = {
  description: 'description',
  ge: 'minimum',
  gt: 'exclusiveMinimum',
  le: 'maximum',
  lt: 'exclusiveMaximum',
  min_length: 'minLength',
  max_length: 'maxLength',
  pattern: 'pattern',
  multiple_of: 'multipleOf',
};

/** The limits in pydantic's `Field(description=…, ge=1)`, as a schema. */
export function limitsOf(call: SourceNode): JsonSchema {
  const named = betweenCommas(call.child('ArgList')).flatMap(([name, operator, value]) => {
    const keyword = operator?.kind === 'AssignOp' ? LIMITS[name.text] : undefined;
    const literal = valueOf(value);
    return keyword !== undefined && literal !== undefined ? [[keyword, literal] as const] : [];
  });
  return Object.fromEntries(named);
}

/** The description in `Annotated[int, 'how many']`. */
export function describedBy(part: SourceNode): JsonSchema {
  const words = part.kind === 'String' ? stringOf(part) : undefined;
  return words === undefined ? {} : { description: words };
}
