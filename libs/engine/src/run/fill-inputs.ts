import { own, setOwn, ToolError, type Json, type JsonObject, type StoredSlot } from '@errand/contracts';
import type { NamedSlot } from '../graph/graph.js';
import { valueProblem, widen } from '../graph/slot-types.js';

/** The problem of a required input without a value. */
export const MISSING = 'is missing';

/**
 * Returns the inputs of a node or workflow: the given value, else the default of the slot, converted to the slot's
 * type. Null in an optional typed slot counts as not given.
 * @throws ParameterValidationError with all inputs that are missing or do not fit
 */
export function fillInputs(slots: readonly NamedSlot[], given: JsonObject): JsonObject {
  const filled: JsonObject = {};
  let problems: string[] | undefined;
  for (const [name, slot] of slots) {
    const value = readSlot(slot, own(given, name));
    const wrong = slotProblem(slot, value);
    if (wrong) (problems ??= []).push(`input '${name}' ${wrong}`);
    else if (value !== undefined) setOwn(filled, name, value);
  }
  if (problems) throw new ToolError('ParameterValidationError', problems.join('; '));
  return filled;
}

/** Returns why a slot cannot take a given value, or undefined if it can. */
export function inputProblem(slot: StoredSlot, given: Json | undefined): string | undefined {
  return slotProblem(slot, readSlot(slot, given));
}

function slotProblem(slot: StoredSlot, value: Json | undefined): string | undefined {
  if (value === undefined) return slot.required ? MISSING : undefined;
  return multiValueProblem(slot, value);
}

function readSlot(slot: StoredSlot, given: Json | undefined): Json | undefined {
  const missing = given === undefined || (given === null && !slot.required && valueProblem(slot, null) !== undefined);
  const value = missing ? defaultOf(slot) : given;
  if (value === undefined || !slot.multi) return value === undefined ? undefined : widen(slot, value);
  return (Array.isArray(value) ? value : [value]).map((item) => widen(slot, item));
}

/** Editors write null if a slot has no default. */
function defaultOf(slot: StoredSlot): Json | undefined {
  const value = slot.config?.default;
  return value === null && valueProblem(slot, null) !== undefined ? undefined : value;
}

function multiValueProblem(slot: StoredSlot, value: Json): string | undefined {
  if (!slot.multi || !Array.isArray(value)) return valueProblem(slot, value);
  let index = 0;
  for (const item of value) {
    const wrong = valueProblem(slot, item);
    if (wrong) return `at ${index} ${wrong}`;
    index++;
  }
  return undefined;
}
