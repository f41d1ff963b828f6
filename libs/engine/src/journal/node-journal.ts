import { ERROR_TYPES, isTriedOut, type Answer, type NodeState } from '@errand/contracts';

/** The records of earlier attempts of a run. */
export interface Journaled {
  /** By `nodeId`. The latest write wins. */
  states: ReadonlyMap<string, NodeState>;
  /** Answers to suspended nodes, by the `key` of their `waiting`. */
  answers: ReadonlyMap<string, Answer>;
  /** Whether there may have been earlier attempts. The first outcome of this one is then written at once. */
  isResumed?: boolean;
}

/**
 * Stores the outcome of every finished node of one run, so that another attempt can resume the run.
 * An entry is the node's state. `nodeId` is its key in the run (`outer/inner` in a node group), `result` holds its
 * outputs by slot. A failed node without `result` has no outputs. An entry with `waiting` belongs to a suspended node,
 * and a later entry replaces it.
 */
export abstract class Journal {
  /** Reads all entries of earlier attempts, and the answers received so far. */
  abstract read(): Promise<Journaled>;

  /** Resolves when the entries are stored. The run makes one call at a time. An error ends the run. */
  abstract write(states: readonly NodeState[]): Promise<void>;

  /** Rejects if another attempt of the run has begun. Without an override, no other attempt can exist. */
  async requireCurrent(): Promise<void> {}

  /** Stores that a node begins that must not run twice. False if it has begun before and its outcome is unknown. */
  abstract beginOnce(nodeId: string): Promise<boolean>;

  /** The node has had no effect: it failed, or it waits before it acts. It may begin again. */
  abstract clearOnce(nodeId: string): Promise<void>;
}

/** A journal in memory. */
export class MemoryJournal extends Journal {
  constructor(
    readonly entries = new Map<string, NodeState>(),
    readonly answers = new Map<string, Answer>(),
    readonly begun = new Set<string>(),
  ) {
    super();
  }

  override async read(): Promise<Journaled> {
    return { states: new Map(this.entries), answers: new Map(this.answers) };
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    for (const state of states) this.entries.set(state.nodeId, state);
  }

  override async beginOnce(nodeId: string): Promise<boolean> {
    if (this.begun.has(nodeId)) return false;
    this.begun.add(nodeId);
    return true;
  }

  override async clearOnce(nodeId: string): Promise<void> {
    this.begun.delete(nodeId);
  }
}

/**
 * Whether a re-run takes this outcome over. It does not for a retryable failure with attempts left, because the node
 * may succeed next time.
 */
export function isWorthKeeping(state: NodeState): boolean {
  const { result, error } = state;
  return result !== undefined || error === undefined || isTriedOut(error) || !ERROR_TYPES[error.type].retryable;
}
