import { applyDecorators } from '@nestjs/common';
import { getMetadataStorage, IsObject, ValidateNested, ValidationTypes, type ValidationOptions } from 'class-validator';

export type Dto = new () => object;

/** What a property holds: one DTO, or a list of them. */
export interface Nesting {
  dto: Dto;
  each: boolean;
}

export interface FieldRule {
  /** It may be left out. */
  optional: boolean;
  nesting: Nesting | undefined;
}

const NESTED = new WeakMap<object, Map<string, Nesting>>();

/** To ask class-validator takes longer than to check a request. */
const RULES = new WeakMap<object, ReadonlyMap<string, FieldRule>>();

/** A property that is a DTO of its own, or a list of them (`each`). */
export function Nested(dto: Dto, options: ValidationOptions = {}): PropertyDecorator {
  return applyDecorators(ValidateNested(options), (target: object, name: string | symbol) => {
    const nested = NESTED.get(target.constructor) ?? new Map<string, Nesting>();
    NESTED.set(target.constructor, nested.set(String(name), { dto, each: options.each === true }));
  });
}

/** JSON of the caller's own, kept as it came: `constructor` and `__proto__` are keys like any other in it. */
export const FreeObject = () => IsObject({ message: '$property must be an object' });

/** The names of a DTO's properties: those that have a rule. */
export function fieldsOf(dto: unknown): string[] {
  return typeof dto === 'function' ? [...rulesOf(dto as Dto).keys()] : [];
}

/** How each property of a DTO is read. */
export function rulesOf(dto: Dto): ReadonlyMap<string, FieldRule> {
  const known = RULES.get(dto);
  if (known) return known;
  const rules = new Map<string, FieldRule>();
  for (const { propertyName: name, type } of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const optional = rules.get(name)?.optional === true || type === ValidationTypes.CONDITIONAL_VALIDATION;
    rules.set(name, { optional, nesting: nestingOf(dto, name) });
  }
  RULES.set(dto, rules);
  return rules;
}

/** Declared in this class or in one that it extends. */
function nestingOf(dto: Dto, name: string): Nesting | undefined {
  for (let made: object | null = dto; made !== null; made = Object.getPrototypeOf(made) as object | null) {
    const nesting = NESTED.get(made)?.get(name);
    if (nesting) return nesting;
  }
  return undefined;
}
