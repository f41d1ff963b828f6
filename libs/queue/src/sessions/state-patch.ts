import { isDeeperThan, MAX_DEPTH, ToolError, type JsonObject } from '@errand/contracts';
import { compare } from 'fast-json-patch';
import type { StateName } from './read-states.js';

/** The most bytes of a state as JSON. */
export const STATE_BYTES = { private: 64 * 1_024, world: 256 * 1_024 } as const;

/** A changed state: its JSON, and the change as a JSON Patch (RFC 6902), which is empty if nothing changed. */
interface ChangedState {
  text: string;
  patch: JsonObject[];
}

export function scopeOf({ agent }: StateName): keyof typeof STATE_BYTES {
  return agent === undefined ? 'world' : 'private';
}

/**
 * Compares a state with the state before it.
 * @throws ToolError `ResourceLimitError` for a state above its bound, `ParameterValidationError` for one that nests too deep
 */
export function toChange(name: StateName, before: JsonObject, after: JsonObject): ChangedState {
  const scope = scopeOf(name);
  if (isDeeperThan(after))
    throw new ToolError('ParameterValidationError', `The ${scope} state may nest ${MAX_DEPTH} levels deep, not deeper`);
  const text = JSON.stringify(after);
  const bytes = Buffer.byteLength(text);
  const limit = STATE_BYTES[scope];
  if (bytes > limit)
    throw new ToolError(
      'ResourceLimitError',
      `The ${scope} state would have ${bytes} bytes as JSON, and ${limit} are allowed: remove values that are not needed any more`,
      { limit, value: bytes },
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operations of a patch between JSON values are JSON
  return { text, patch: compare(before, after) as unknown as JsonObject[] };
}
