import { isObject, own } from '@errand/contracts';

/** The properties that a schema declares, including those of its combined parts. */
export function declaredNames(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => own(schema, key) ?? []);
  const properties = own(schema, 'properties');
  return [...(isObject(properties) ? Object.keys(properties) : []), ...parts.flatMap(declaredNames)];
}
