import { isObject, type Computation, type Failure, type Json, type JsonObject } from '@errand/contracts';

/**
 * An object packed for transfer between threads. Lists and objects become JSON texts, each wrapped in a list. JSON is
 * several times faster than structured clone here, and a long text is copied as it is.
 */
type PackedObject = Record<string, string | number | boolean | null | [json: string]>;

/** A computation for a thread, and its size in characters. */
export interface PackedComputation extends Pick<Computation, 'timeoutMs' | 'what' | 'advice'> {
  task: ThreadTask;
  size: number;
}

export interface ThreadTask {
  module: string;
  input: PackedObject;
}

/** The outcome of a computation. */
export type ThreadOutcome = { result: PackedObject } | { failure: Failure };

export function packComputation({ module, input, ...limits }: Computation): PackedComputation {
  const packed = pack(input);
  return { task: { module, input: packed }, size: lengthOf(packed), ...limits };
}

export function pack(values: JsonObject): PackedObject {
  const entries = Object.entries(values).map(([name, value]): [string, PackedObject[string]] => [
    name,
    typeof value === 'object' && value !== null ? [JSON.stringify(value)] : value,
  ]);
  return Object.fromEntries(entries);
}

export function unpack(packed: PackedObject): JsonObject {
  const entries = Object.entries(packed).map(([name, value]): [string, Json] => [
    name,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `pack` wrote it from a JSON value
    Array.isArray(value) ? (JSON.parse(value[0]) as Json) : value,
  ]);
  return Object.fromEntries(entries);
}

function lengthOf(packed: PackedObject): number {
  return Object.values(packed).reduce<number>((size, value) => {
    const text = Array.isArray(value) ? value[0] : value;
    return size + (typeof text === 'string' ? text.length : 1);
  }, 0);
}

/** Whether a module exports a function `run`. */
export function hasRun(module: unknown): module is { run: (input: JsonObject) => unknown } {
  return isObject(module) && typeof module.run === 'function';
}
