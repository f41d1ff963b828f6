import { sizeOf, type NodeState } from '@errand/contracts';
import type { EngineEvent } from '../run/run-options.js';
import type { Journal } from './node-journal.js';

/** An outcome is written at the latest after this time. */
const MAX_DELAY_MS = 100;

/** Outcomes of this size, in characters, are written at once. It also bounds what waits while a write is under way. */
const MAX_SIZE = 1_000_000;

/** The size of a state beside its result, in characters, and the size of each value in a result. */
const STATE_SIZE = 256;
const VALUE_SIZE = 8;

/** The part of a run that concerns its writes. */
export interface WriteOptions {
  /** Called once if a write fails, or if another attempt of the run has begun. Nothing is written from then on. */
  onError: (reason: unknown) => void;
  /** Receives the events, each one after the outcomes before it are stored. */
  emit: (event: EngineEvent) => void;
  /** Whether the first outcome is written at once: a job that advances a little each time does not count as deadly. */
  writesFirst?: boolean;
  /** Resolves when the outcomes of the runs around this one are stored. */
  storedAround?: () => Promise<void>;
}

/**
 * Writes the outcomes of all graphs of a run to the journal, in the order in which the nodes ended, with one write under
 * way at a time. States of an outcome:
 * - waiting: until `flush`, 100 ms or 1 MB. Nodes without effects may already use it.
 * - written: the write is under way. Outcomes that arrive meanwhile form the next one (group commit).
 * - stored: only now the events appear that were emitted after it. A reader never sees what a crash takes back.
 * In order means: the journal never holds an outcome without those that it depends on.
 */
export class WriteBehind {
  private states: NodeState[] = [];
  private events: EngineEvent[] = [];
  private size = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private confirming: Promise<void> | undefined;
  private confirmedAt = performance.now();
  private failure: { reason: unknown } | undefined;
  private isClosed = false;
  private writesFirst: boolean;

  constructor(
    private readonly journal: Journal | undefined,
    private readonly options: WriteOptions,
  ) {
    this.writesFirst = options.writesFirst ?? false;
  }

  /** Takes outcomes. They are written at once if one of them is urgent: repeating its node would have effects. */
  add(states: readonly NodeState[], isUrgent: boolean): void {
    if (!this.journal || this.isClosed || this.failure) return;
    for (const state of states) {
      this.states.push(state);
      this.size += STATE_SIZE + sizeOf(state.result, MAX_SIZE, VALUE_SIZE);
    }
    if (isUrgent || this.writesFirst || this.size >= MAX_SIZE) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), MAX_DELAY_MS);
  }

  /** Resolves when more outcomes may be added. Undefined if they may at once. */
  room(): Promise<void> | undefined {
    return this.size >= MAX_SIZE ? this.writing : undefined;
  }

  /** Resolves when all outcomes so far are stored. Undefined if they are. Rejects with the error of the journal. */
  flush(): Promise<void> | undefined {
    if (this.failure) return rejected(this.failure.reason);
    if (this.next) return this.next;
    if (this.states.length === 0) return this.writing;
    if (!this.writing) return this.write();
    this.next = handled(this.writing.then(() => this.write()));
    return this.next;
  }

  /**
   * Resolves when a node with effects may begin: all outcomes so far are stored, also those of the runs around this one,
   * and no other attempt has begun. Undefined if it may at once. Rejects with the error of the journal.
   */
  barrier(): Promise<void> | undefined {
    const storing = this.flush() ?? this.confirm();
    const around = this.options.storedAround?.();
    return around ? handled(bothOf(storing, around)) : storing;
  }

  /** As in the journal. Without one, there is no other attempt. */
  async beginOnce(nodeId: string): Promise<boolean> {
    return (await this.guard(this.journal?.beginOnce(nodeId))) ?? true;
  }

  async clearOnce(nodeId: string): Promise<void> {
    await this.guard(this.journal?.clearOnce(nodeId));
  }

  /** Emits an event, after the outcomes so far are stored. A chunk of a stream does not wait for a later write. */
  emit(event: EngineEvent): void {
    if (this.isClosed || this.failure) return;
    if (this.states.length === 0 && !this.writing) return this.options.emit(event);
    this.events.push(event);
    if (event.event === 'output') void this.flush();
  }

  /** Stores what is left after the end of the run, if that is possible. Takes nothing from then on. */
  async close(): Promise<void> {
    await this.flush()?.catch(() => {});
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** The last write may be long ago, and another attempt may have begun since. */
  private confirm(): Promise<void> | undefined {
    if (!this.journal || performance.now() - this.confirmedAt < MAX_DELAY_MS) return undefined;
    this.confirming ??= handled(this.requireCurrent(this.journal));
    return this.confirming;
  }

  private async requireCurrent(journal: Journal): Promise<void> {
    const begunAt = performance.now();
    await this.guard(journal.requireCurrent());
    this.confirmedAt = begunAt;
    this.confirming = undefined;
  }

  /** Awaits an operation of the journal. Its error ends the run. */
  private async guard<T>(operation: Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await operation;
    } catch (error) {
      return this.fail(error);
    }
  }

  private write(): Promise<void> {
    clearTimeout(this.timer);
    this.writesFirst = false;
    const { states, events } = this;
    this.timer = undefined;
    this.next = undefined;
    this.states = [];
    this.events = [];
    this.size = 0;
    this.writing = handled(this.store(states, events));
    return this.writing;
  }

  private async store(states: readonly NodeState[], events: readonly EngineEvent[]): Promise<void> {
    const begunAt = performance.now();
    try {
      await this.journal?.write(states);
      this.confirmedAt = begunAt;
      this.writing = undefined;
      const later = this.states.length > 0 ? [] : this.events.splice(0);
      for (const event of [...events, ...later]) this.options.emit(event);
    } catch (error) {
      this.fail(error);
    }
  }

  /** @throws the reason */
  private fail(reason: unknown): never {
    this.failure ??= { reason };
    clearTimeout(this.timer);
    this.states = [];
    this.events = [];
    this.options.onError(reason);
    throw reason;
  }
}

async function bothOf(first: Promise<void> | undefined, second: Promise<void>): Promise<void> {
  await Promise.all([first, second]);
}

/** Several nodes or none may await the promise, and `onError` has its error already. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

function rejected(reason: unknown): Promise<void> {
  return handled(Promise.reject(reason));
}
