import { isObject, type JsonObject } from '@errand/contracts';
import { findJsonFault } from './json-fault.js';

/** Why the arguments of a call cannot be read. `line` and `column` are places within their JSON text. */
export interface ArgumentsFault {
  message: string;
  line?: number;
  column?: number;
}

/** Reads the arguments of a call: JSON text, or an object that the API has read already. */
export function readArguments(given: unknown): { arguments: JsonObject } | { fault: ArgumentsFault } {
  if (isObject(given)) return { arguments: given as JsonObject };
  if (typeof given !== 'string')
    return { fault: { message: `The arguments must be a JSON object, not ${kindOf(given)}` } };
  if (given.trim() === '')
    return { fault: { message: 'The arguments are empty; write {} for none', line: 1, column: 1 } };
  const fault = findJsonFault(given);
  if (fault) {
    const { message, line, column } = fault;
    return {
      fault: { message: `The arguments are not valid JSON: line ${line}, column ${column}: ${message}`, line, column },
    };
  }
  const value: unknown = JSON.parse(given);
  if (isObject(value)) return { arguments: value as JsonObject };
  return { fault: { message: `The arguments must be a JSON object, not ${kindOf(value)}`, line: 1, column: 1 } };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
