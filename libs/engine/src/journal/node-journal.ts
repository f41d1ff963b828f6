import { ERROR_TYPES, isTriedOut, type Answer, type NodeState } from '@errand/contracts';

/** What a run finds of its earlier attempts. */
export interface Journaled {
  /** By `nodeId`, the latest written. */
  states: ReadonlyMap<string, NodeState>;
  /** What parked nodes were answered, by the `key` of their `waiting`. */
  answers: ReadonlyMap<string, Answer>;
}

/**
 * Where the outcome of every finished node of one run is kept, so that a run that died is taken up where it stood.
 * An entry is the node's state: `nodeId` is its key in the run (`outer/inner` in a node group), `result` holds its outputs by
 * slot; a failed node without `result` gave none. An entry with `waiting` is of a parked node, and a later one takes its place.
 */
export abstract class Journal {
  /** All that earlier attempts of this run have written, and the answers that have come for it. */
  abstract read(): Promise<Journaled>;

  /** Resolves when the entries are safe: what depends on them starts then, not before. An error ends the run. */
  abstract write(states: readonly NodeState[]): Promise<void>;
}

/** A journal that lives as long as its process. */
export class MemoryJournal extends Journal {
  constructor(
    readonly entries = new Map<string, NodeState>(),
    readonly answers = new Map<string, Answer>(),
  ) {
    super();
  }

  override async read(): Promise<Journaled> {
    return { states: new Map(this.entries), answers: new Map(this.answers) };
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    for (const state of states) this.entries.set(state.nodeId, state);
  }
}

/** Whether a re-run shall take this outcome as it is: not a failure that the same node, run again, may be spared. */
export function isWorthKeeping(state: NodeState): boolean {
  const { result, error } = state;
  return result !== undefined || error === undefined || isTriedOut(error) || !ERROR_TYPES[error.type].retryable;
}

/**
 * Writes to a journal, one write at a time: what comes from any graph of the run while one is under way goes into the next together
 * (the group commit of databases). So the number of writes depends on how long one takes, not on how many nodes end.
 */
export class GroupCommit {
  private pending: NodeState[] = [];
  private next: Promise<void> | undefined;
  private underWay: Promise<void> | undefined;

  constructor(private readonly journal: Journal) {}

  /** Resolves when the entries are safe. */
  write(states: readonly NodeState[]): Promise<void> {
    for (const state of states) this.pending.push(state);
    if (!this.next && !this.underWay) return this.flush();
    this.next ??= this.underWay!.then(() => this.flush());
    return this.next;
  }

  private flush(): Promise<void> {
    const batch = this.pending;
    this.pending = [];
    this.next = undefined;
    this.underWay = this.journal.write(batch).finally(() => (this.underWay = undefined));
    return this.underWay;
  }
}
