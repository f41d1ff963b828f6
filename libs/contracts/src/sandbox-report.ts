/** The outcome of one attack on a sandbox. */
export interface AttackOutcome {
  name: string;
  /** The sandbox has stopped it. */
  held: boolean;
  tookMs: number;
  /** What it attempts; if it was not stopped, also what was expected and what came. */
  note: string;
}

/** The last attack run of a script-runner. */
export interface SandboxReport {
  runner: string;
  host: string;
  /** When the run began (ISO 8601). */
  at: string;
  /** The container runtime; `default` if the engine chooses it. */
  runtime: string;
  state: 'running' | 'done' | 'failed';
  /** The number of attacks of the run. While it runs, `attacks` has fewer. */
  total: number;
  attacks: AttackOutcome[];
  /** Why the run has failed. */
  error?: string;
}
