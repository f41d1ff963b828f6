import { didYouMean, ToolError } from '@errand/contracts';

/** The entry of a table for a name. @throws ParameterValidationError that names the input and its possible values */
export function oneOf<T>(table: Readonly<Record<string, T>>, input: string, name: string): T {
  if (Object.hasOwn(table, name)) return table[name]!;
  const suggestion = didYouMean(name, Object.keys(table));
  const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
  throw new ToolError(
    'ParameterValidationError',
    `'${input}' must be one of ${Object.keys(table).join(', ')}, got '${name}'${hint}`,
  );
}
