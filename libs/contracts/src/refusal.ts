import type { LocatedProblem, Problem, ProblemCode } from './problem.js';

/** A submission that was refused with 422, as it is kept. Secrets in it are masked. */
export interface Refusal {
  /** `ref_…` */
  id: string;
  /** ISO 8601 */
  at: string;
  agent: string | null;
  session: string | null;
  code: ProblemCode;
  /** The tools that it called. Behind an unknown one is the nearest that exists. */
  toolIds: string[];
  /** A problem of a text has its position. One of a submission in JSON has the number of its call. */
  errors: ((Problem & { call?: number }) | LocatedProblem)[];
  /** The Observation for the model. */
  observation: string | null;
  /** The text of the submission, or its calls as JSON, cut after 64 KiB. */
  text: string;
  /** The first invocation of the same session that called one of these tools within 10 min. */
  recoveredBy: string | null;
}

/** What refusals are counted by. */
export type RefusalGroup = 'tool' | 'parameter' | 'code' | 'agent';

/** The refusals with one key. */
export interface RefusalSummary {
  /** A tool id, a parameter as `<tool id>/<name>`, a code, or an agent; `(none)` without one, `other` for those beyond 200. */
  key: string;
  refused: number;
  /** The accepted invocations with this key: of the tool, of the tool of the parameter, of all tools for a code, of the agent. */
  accepted: number;
  /** The refusals after which the same session called the tool rightly. */
  recovered: number;
  /** The newest refusal with this key. */
  sample: string;
}
