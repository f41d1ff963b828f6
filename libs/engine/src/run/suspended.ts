/**
 * Thrown by `runWorkflow` when all that is left to do waits: for a time, or for an answer from outside. The journal holds what waits;
 * run again, at `until` or when an answer has come, the workflow goes on from there.
 */
export class Suspended extends Error {
  constructor(
    /** When to run again at the latest, in ms since 1970; undefined: only an answer helps. */
    readonly until: number | undefined,
    /** Whether an answer from outside would help. */
    readonly forAnswer: boolean,
    /** Resolves when what is waited for may be there: for a run that is not left, for something else in it goes on. */
    readonly again?: (signal: AbortSignal) => Promise<unknown>,
  ) {
    super('The workflow is parked');
    this.name = 'Suspended';
  }
}
