import type { Call } from './call.js';
import type { CallPlaces, LocatedWarning } from './problem.js';

/** Where a step of an invocation is written in the text. */
export interface SourceCall extends CallPlaces {
  /** The number of the step. */
  index: number;
}

/** The text that a model wrote, with the places of the calls that it became. */
export interface InvocationSource {
  text: string;
  /** The format of the block. */
  protocol: string | null;
  /** The text before the block. */
  responseText: string;
  /** The text behind the block. */
  trailingText: string;
  calls: SourceCall[];
  /** What Errand repaired or ignored in the text. */
  warnings: LocatedWarning[];
}

/** What a submission would run. A text without calls has none, and no queue. */
export interface DryRunOutcome {
  calls: (Call & { version: string })[];
  warnings: LocatedWarning[];
  queue: string | null;
  /** The time until its end in ms, estimated; null if it is not known. */
  etaMs: number | null;
}
