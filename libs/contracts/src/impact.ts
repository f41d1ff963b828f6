/** Where a step or node runs: in a worker, in a script-runner, or at another server. */
export type RunPlace = 'worker' | 'script-runner' | 'server';

/** What a cancel of an invocation would touch. */
export interface Impact {
  /** What runs now. */
  running: { step: number; nodeId?: string; where: RunPlace }[];
  /** The number of scripts and of calls of turns that run for it. They end, too. */
  children: number;
  /** Up to 1,000 invocations that wait for its end. */
  waiters: string[];
  /** How many others wait for its end; absent for none. */
  moreWaiters?: number;
  /** Its callback has not been delivered yet. */
  callbackOwed: boolean;
  /** Steps with an effect outside that has happened. A cancel does not undo it. */
  effectsDone: { step: number; toolId: string }[];
}
