import type { NodeState } from '@errand/contracts';
import type { EngineEvent, RunOptions } from './run-options.js';
import type { Semaphore } from './semaphore.js';

/** What the graph of a workflow and those of its node groups have in common while they run. */
export interface Run {
  options: RunOptions;
  permits: Semaphore;
  /** Outcomes of an earlier attempt of this run, by key. */
  finished: ReadonlyMap<string, NodeState>;
  emit(event: EngineEvent): void;
  /** Makes outcomes safe; where that fails the whole run ends. */
  keep(states: NodeState[]): Promise<void>;
}

/** Where a graph runs: within its signal, under its prefix of node keys. */
export interface Scope {
  run: Run;
  signal: AbortSignal;
  prefix: string;
}
