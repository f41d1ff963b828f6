import { getMetadataStorage, IS_OPTIONAL, ValidationTypes, type ValidatorConstraintInterface } from 'class-validator';
import type { Dto } from './dto.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The rules of one property. */
interface FieldCheck {
  name: string;
  /** A request may omit it. Most requests omit most fields, which then need no rule. */
  isOptional: boolean;
  /** If one of them is false, the other rules do not apply. */
  conditions: ((object: object, value: unknown) => boolean)[];
  checks: { rule: Rule; constraints: readonly ValidatorConstraintInterface[] }[];
  isNested: boolean;
}

const CHECKS = new WeakMap<Dto, readonly FieldCheck[]>();
const { CONDITIONAL_VALIDATION, CUSTOM_VALIDATION, NESTED_VALIDATION, WHITELIST } = ValidationTypes;

/**
 * Whether a DTO keeps all its rules of class-validator. class-validator builds a report for each property before it checks it. A valid
 * request needs no report, and this check saves 9 % of the CPU time of a submission (ADR 86). False for an object without rules.
 */
export function keepsRules(object: object): boolean {
  const dto = object.constructor as Dto;
  let checks = CHECKS.get(dto);
  if (!checks) CHECKS.set(dto, (checks = checksOf(dto)));
  for (const check of checks) if (!holds(check, object)) return false;
  return checks.length > 0;
}

function checksOf(dto: Dto): FieldCheck[] {
  const fields = new Map<string, FieldCheck>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const name = rule.propertyName;
    const field = fields.get(name) ?? { name, isOptional: false, conditions: [], checks: [], isNested: false };
    fields.set(name, field);
    if (rule.name === IS_OPTIONAL) field.isOptional = true;
    if (rule.type === CONDITIONAL_VALIDATION) field.conditions.push(rule.constraints[0] as FieldCheck['conditions'][0]);
    else if (rule.type === NESTED_VALIDATION) field.isNested = true;
    else if (rule.type === CUSTOM_VALIDATION) field.checks.push({ rule, constraints: constraintsOf(rule) });
    else if (rule.type !== WHITELIST) throw new Error(`${dto.name}.${name} has a rule of the kind ${rule.type}`);
  }
  return [...fields.values()];
}

function constraintsOf({ constraintCls }: Rule): ValidatorConstraintInterface[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => instance);
}

function holds({ name, isOptional, conditions, checks, isNested }: FieldCheck, object: object): boolean {
  const value = (object as Record<string, unknown>)[name];
  if (isOptional && (value === undefined || value === null)) return true;
  for (const condition of conditions) if (!condition(object, value)) return true;
  for (const { rule, constraints } of checks) {
    const context = {
      targetName: object.constructor.name,
      property: name,
      object,
      value,
      constraints: rule.constraints,
    };
    const keeps = (each: unknown) => constraints.every((constraint) => constraint.validate(each, context) === true);
    if (!(rule.each && Array.isArray(value) ? value.every(keeps) : keeps(value))) return false;
  }
  if (!isNested || value === undefined) return true;
  return [value].flat().every((each) => typeof each === 'object' && each !== null && keepsRules(each));
}
