import { ERROR_TYPES, type NodeState } from '@errand/contracts';

/**
 * Where the outcome of every finished node of one run is kept, so that a run that died is taken up where it stood.
 * An entry is the node's final state: `nodeId` is its key in the run (`outer/inner` in a node group), `result` holds its
 * outputs by slot; a failed node without `result` gave none.
 */
export abstract class Journal {
  /** All that earlier attempts of this run have written, by `nodeId`. */
  abstract read(): Promise<ReadonlyMap<string, NodeState>>;

  /** Resolves when the entries are safe: what depends on them starts then, not before. An error ends the run. */
  abstract write(finished: readonly NodeState[]): Promise<void>;
}

/** For a run that is not worth resuming (a single node), and for tests. */
export class MemoryJournal extends Journal {
  constructor(readonly entries = new Map<string, NodeState>()) {
    super();
  }

  override async read(): Promise<ReadonlyMap<string, NodeState>> {
    return new Map(this.entries);
  }

  override async write(finished: readonly NodeState[]): Promise<void> {
    for (const state of finished) this.entries.set(state.nodeId, state);
  }
}

/** Whether a re-run shall take this outcome as it is: not a failure that the same node, run again, may be spared. */
export function isWorthKeeping(state: NodeState): boolean {
  return state.result !== undefined || state.error === undefined || !ERROR_TYPES[state.error.type].retryable;
}
