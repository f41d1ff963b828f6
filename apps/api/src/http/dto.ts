import { applyDecorators } from '@nestjs/common';
import { getMetadataStorage, IsObject, ValidateNested, ValidationTypes, type ValidationOptions } from 'class-validator';

export type Dto = new () => object;

/** A property with one nested DTO, or with a list of them. */
export interface Nesting {
  dto: Dto;
  each: boolean;
}

interface FieldRule {
  /** The request may omit the field. */
  optional: boolean;
  nesting: Nesting | undefined;
}

const NESTED = new WeakMap<object, Map<string, Nesting>>();

/** The rules of each DTO. Reading them from class-validator takes longer than checking a request. */
const RULES = new WeakMap<object, ReadonlyMap<string, FieldRule>>();

/** Declares a property with a nested DTO, or with a list of them (`each`). */
export function Nested(dto: Dto, options: ValidationOptions = {}): PropertyDecorator {
  return applyDecorators(ValidateNested(options), (target: object, name: string | symbol) => {
    const nested = NESTED.get(target.constructor) ?? new Map<string, Nesting>();
    NESTED.set(target.constructor, nested.set(String(name), { dto, each: options.each === true }));
  });
}

/** Declares a JSON object of the caller. It is kept unchanged, with keys such as `constructor` and `__proto__`. */
export const FreeObject = () => IsObject({ message: '$property must be an object' });

/** The names of the properties of a DTO that have a rule. */
export function fieldsOf(dto: unknown): string[] {
  return typeof dto === 'function' ? [...rulesOf(dto as Dto).keys()] : [];
}

/** The rule of each property of a DTO. */
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

/** Also finds a nesting that a base class declares. */
function nestingOf(dto: Dto, name: string): Nesting | undefined {
  for (let made: object | null = dto; made !== null; made = Object.getPrototypeOf(made) as object | null) {
    const nesting = NESTED.get(made)?.get(name);
    if (nesting) return nesting;
  }
  return undefined;
}
