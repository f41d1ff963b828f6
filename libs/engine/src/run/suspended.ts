/**
 * `runWorkflow` throws this when all remaining nodes wait for a time or an answer. The journal holds the waits. A later
 * run, at `until` or after an answer, resumes the workflow.
 */
export class Suspended extends Error {
  constructor(
    /** The latest time of the next run, in ms since 1970. Undefined if only an answer helps. */
    readonly until: number | undefined,
    /** Whether an answer can end the wait. */
    readonly forAnswer: boolean,
    /**
     * Resolves when the awaited result may be available. Only used by a run that stays active because another node
     * runs.
     */
    readonly again?: (signal: AbortSignal) => Promise<unknown>,
  ) {
    super('The workflow is suspended');
    this.name = 'Suspended';
  }
}
