import type { JsonObject } from './json.js';
import type { Status } from './status.js';

/** An entry of the ledger of tools with `effects: "once"`: an effect, and the equal calls of its session that did not run. Times are ISO 8601. */
export interface EffectEntry {
  session: string;
  toolId: string;
  /** Null if they are too long to be kept a second time: the step has them. */
  arguments: JsonObject | null;
  /** The step that has made the effect. */
  invocationId: string;
  step: number;
  /** The status of that step. Null if its invocation is not stored any more. */
  status: Status | null;
  at: string;
  /** Equal calls, which got the result of the first one. */
  repeats: { invocationId: string; step: number; at: string }[];
}
