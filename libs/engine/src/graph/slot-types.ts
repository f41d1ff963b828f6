import { isObject, own, type Json, type StoredSlot } from '@errand/contracts';

/**
 * The values that a slot of each type holds. A type outside this table (WILDCARD, CONVERTIBLE_ANY, BINARY, …) holds any
 * value.
 */
const TYPES: Record<string, { holds: (value: Json) => boolean; named: string; empty: Json }> = {
  STRING: { holds: (value) => typeof value === 'string', named: 'a string', empty: '' },
  INTEGER: { holds: (value) => Number.isInteger(value), named: 'an integer', empty: 0 },
  FLOAT: { holds: (value) => typeof value === 'number', named: 'a number', empty: 0 },
  BOOLEAN: { holds: (value) => typeof value === 'boolean', named: 'a boolean', empty: false },
  OBJECT: { holds: isObject, named: 'an object', empty: {} },
  ARRAY: { holds: Array.isArray, named: 'a list', empty: [] },
};

/**
 * Source types that a slot accepts beside its own. JSON has one kind of number, so an integer is only checked when its
 * value arrives.
 */
const ALSO_ACCEPTS: Record<string, readonly string[]> = {
  FLOAT: ['INTEGER'],
  INTEGER: ['FLOAT'],
  STRING: ['INTEGER', 'FLOAT', 'BOOLEAN'],
};

const ANY = new Set(['WILDCARD', 'CONVERTIBLE_ANY']);
const ANY_CATEGORIES = new Set(['BehaviorWildcard', 'BehaviorConvertible']);
/** Categories that only affect how an editor shows a slot. */
const UI_CATEGORIES = new Set(['UiBlock', 'CanPreview', 'NoDefaultEdit']);

function isAny(slot: StoredSlot): boolean {
  return ANY.has(slot.dataFlowType) || (slot.matchCategories ?? []).some((category) => ANY_CATEGORIES.has(category));
}

function shareCategory(source: StoredSlot, target: StoredSlot): boolean {
  const meanings = (source.matchCategories ?? []).filter((category) => !UI_CATEGORIES.has(category));
  return meanings.some((category) => target.matchCategories?.includes(category));
}

/**
 * Whether a connection between two slots is allowed. ComfyTavern's rules apply: any type, the same type, a shared
 * category, or a safe widening. In addition, a FLOAT may flow into an INTEGER.
 */
export function fits(source: StoredSlot, target: StoredSlot): boolean {
  return (
    isAny(source) ||
    isAny(target) ||
    source.dataFlowType === target.dataFlowType ||
    (own(ALSO_ACCEPTS, target.dataFlowType)?.includes(source.dataFlowType) ?? false) ||
    shareCategory(source, target)
  );
}

/** The empty value of a slot type. */
export function emptyValue(slot: StoredSlot): Json {
  return own(TYPES, slot.dataFlowType)?.empty ?? null;
}

/** Returns why a value does not fit a slot (`must be an integer, got a string`), or undefined if it fits. */
export function valueProblem(slot: StoredSlot, value: Json): string | undefined {
  const type = isAny(slot) ? undefined : own(TYPES, slot.dataFlowType);
  if (type && !type.holds(value)) return `must be ${type.named}, got ${nameOf(value)}`;
  return typeof value === 'number' ? outOfRange(slot, value) : undefined;
}

function outOfRange({ min, max, config }: StoredSlot, value: number): string | undefined {
  const least = min ?? config?.min;
  const most = max ?? config?.max;
  if ((least === undefined || value >= least) && (most === undefined || value <= most)) return undefined;
  if (most === undefined) return `must be ${least} or more, got ${value}`;
  return least === undefined
    ? `must be ${most} or less, got ${value}`
    : `must be from ${least} to ${most}, got ${value}`;
}

/** Converts a number or boolean to text for a STRING slot. Any other value stays as it is. */
export function widen(slot: StoredSlot, value: Json): Json {
  return slot.dataFlowType === 'STRING' && (typeof value === 'number' || typeof value === 'boolean')
    ? String(value)
    : value;
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
