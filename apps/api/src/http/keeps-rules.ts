import { getMetadataStorage, ValidationTypes, type ValidatorConstraintInterface } from 'class-validator';
import type { Dto } from './dto.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** What must hold of one property. */
interface FieldCheck {
  name: string;
  /** Where one of them does not hold, nothing else is asked of the property. */
  conditions: ((object: object, value: unknown) => boolean)[];
  checks: { rule: Rule; constraints: readonly ValidatorConstraintInterface[] }[];
  isNested: boolean;
}

const CHECKS = new WeakMap<Dto, readonly FieldCheck[]>();
const { CONDITIONAL_VALIDATION, CUSTOM_VALIDATION, NESTED_VALIDATION, WHITELIST } = ValidationTypes;

/**
 * Whether a DTO keeps its rules, as class-validator has them. That makes a report of each property before it looks at any, which takes
 * longer than all else that a submission needs; who keeps the rules needs no report. False, too, where only class-validator can tell.
 */
export function keepsRules(object: object): boolean {
  const dto = object.constructor as Dto;
  let checks = CHECKS.get(dto);
  if (!checks) CHECKS.set(dto, (checks = checksOf(dto)));
  return checks.length > 0 && checks.every((check) => holds(check, object));
}

function checksOf(dto: Dto): FieldCheck[] {
  const fields = new Map<string, FieldCheck>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const name = rule.propertyName;
    const field = fields.get(name) ?? { name, conditions: [], checks: [], isNested: false };
    fields.set(name, field);
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

function holds({ name, conditions, checks, isNested }: FieldCheck, object: object): boolean {
  const value = (object as Record<string, unknown>)[name];
  for (const condition of conditions) if (!condition(object, value)) return true;
  for (const { rule, constraints } of checks) {
    const told = { targetName: object.constructor.name, property: name, object, value, constraints: rule.constraints };
    const keeps = (each: unknown) => constraints.every((constraint) => constraint.validate(each, told) === true);
    if (!(rule.each && Array.isArray(value) ? value.every(keeps) : keeps(value))) return false;
  }
  if (!isNested || value === undefined) return true;
  return [value].flat().every((each) => typeof each === 'object' && each !== null && keepsRules(each));
}
