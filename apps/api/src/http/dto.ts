import { applyDecorators } from '@nestjs/common';
import { getMetadataStorage, IsObject, ValidateNested, type ValidationOptions } from 'class-validator';

export type Dto = new () => object;

const NESTED = new WeakMap<object, Map<string, Dto>>();

/** To ask class-validator takes longer than to check a request. */
const FIELDS = new WeakMap<object, string[]>();

/** A property that is a DTO of its own, or a list of them (`each`). */
export function Nested(dto: Dto, options: ValidationOptions = {}): PropertyDecorator {
  return applyDecorators(ValidateNested(options), (target: object, name: string | symbol) => {
    const nested = NESTED.get(target.constructor) ?? new Map<string, Dto>();
    NESTED.set(target.constructor, nested.set(String(name), dto));
  });
}

/** JSON of the caller's own, kept as it came: `constructor` and `__proto__` are keys like any other in it. */
export const FreeObject = () => IsObject({ message: '$property must be an object' });

/** The DTO of a property that has one, of its own class or of one that that extends. */
export function nestedDto(dto: Dto, name: string): Dto | undefined {
  for (let made: object | null = dto; made !== null; made = Object.getPrototypeOf(made) as object | null) {
    const nested = NESTED.get(made)?.get(name);
    if (nested) return nested;
  }
  return undefined;
}

/** The names of a DTO's properties: those that have a rule. */
export function fieldsOf(dto: unknown): string[] {
  if (typeof dto !== 'function') return [];
  const known = FIELDS.get(dto);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const fields = [...new Set(rules.map((rule) => rule.propertyName))];
  FIELDS.set(dto, fields);
  return fields;
}
