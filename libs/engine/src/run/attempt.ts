import { setMaxListeners } from 'node:events';
import { ToolError } from '@errand/contracts';
import { Suspended } from './suspended.js';
import type { RunScope } from './run-scope.js';
import { TimeLimit } from './time-limit.js';
import { PermitLease } from './permit-lease.js';

/** Why the signal fires at the end of work that ended by itself: one for all, for an error is dear to make. */
const ENDED = new ToolError('CancelledError', 'It has ended');

/** How long a node may take to stop when it is told to, before it is reported. */
const GRACE_MS = 1000;

/**
 * One attempt to run a node. It ends when its code does, when its time is over or when it is stopped, whichever comes first: code
 * that ignores its signal is abandoned, and what it still gives is discarded. The signal is made when first asked for, for most
 * nodes have no use for it; it fires after the end, too, so that nothing which the code left behind goes on.
 */
export class Attempt {
  /** The same when the node runs again after a crash, another when it is retried. */
  readonly key: string;
  readonly turn: PermitLease;
  /** Of the nodes around it, and its own: what this one waits for is not on their time. */
  limits: readonly TimeLimit[];
  private controller: AbortController | undefined;
  private readonly stopListeners = new Set<(reason: unknown) => void>();
  private over: { reason: unknown } | undefined;
  private isWorking = false;
  private endings: (() => void)[] | undefined;
  private calls = 0;
  private waits = 0;
  private isSuspended = false;

  readonly nodeId: string;
  readonly number: number;
  /** The workflow says how often this node, or one around it, is tried. */
  readonly isRetried: boolean;

  constructor(
    { nodeId, number, isRetried }: Pick<Attempt, 'nodeId' | 'number' | 'isRetried'>,
    readonly scope: RunScope,
    /** A node without code of its own takes none, for those inside it need them. */
    permit: 'none' | 'held' | 'wanted',
  ) {
    const { run } = scope;
    this.nodeId = nodeId;
    this.number = number;
    this.isRetried = isRetried;
    this.key = number === 1 ? nodeId : `${nodeId}#${number}`;
    this.turn = new PermitLease(run.activeCount, permit === 'none' ? undefined : run.permits, permit === 'held');
    this.limits = scope.limits;
  }

  get signal(): AbortSignal {
    this.controller ??= this.newController();
    if (this.over) this.controller.abort(this.over.reason);
    return this.controller.signal;
  }

  get isOver(): boolean {
    return this.over !== undefined;
  }

  /** Calls of tools and workflows are numbered, so that a node which runs again asks for the same. */
  nextCall(): string {
    return `${this.key}:${++this.calls}`;
  }

  /** One wait at a time, so that their order says which is which. @throws NodeError */
  async park<T>(wait: (number: number) => Promise<T>): Promise<T> {
    this.throwIfOver();
    if (this.isSuspended) throw new ToolError('NodeError', 'A node can wait for one thing at a time');
    this.isSuspended = true;
    try {
      return await wait(++this.waits);
    } finally {
      this.isSuspended = false;
    }
  }

  /** Calls back when it is over, in whatever way. */
  onEnd(callback: () => void): void {
    (this.endings ??= []).push(callback);
  }

  /** @throws the reason of its end */
  throwIfOver(): void {
    if (this.over) throw this.over.reason;
  }

  /**
   * What `code` gives, within `timeoutMs` from when there is a permit for it.
   * @throws what the code throws; TimeoutError
   */
  async run(code: () => unknown, timeoutMs: number | undefined): Promise<unknown> {
    const waiting = this.turn.begin();
    if (waiting) await waiting;
    this.throwIfOver();
    try {
      return await (timeoutMs === undefined ? this.watch(code) : this.watchWithin(code, timeoutMs));
    } finally {
      this.stop(ENDED);
    }
  }

  /** Lets the code wait for something of the engine's. */
  async waitWithoutPermit<T>(wait: Promise<T>): Promise<T> {
    try {
      return await this.turn.waitWithoutPermit(this.orStopped(wait));
    } catch (error) {
      // The run is left, to go on later: nothing of this may look like a failure to the code.
      if (this.over?.reason instanceof Suspended) await new Promise(() => {});
      throw error;
    }
  }

  /** Tells the code that it is over, unless it is. */
  stop(reason: unknown): void {
    if (this.over) return;
    this.over = { reason };
    this.turn.end();
    this.controller?.abort(reason);
    for (const onStop of this.stopListeners) onStop(reason);
    for (const end of this.endings ?? []) end();
    if (reason !== ENDED && !(reason instanceof Suspended)) this.reportIfStillRunning();
  }

  private newController(): AbortController {
    const controller = new AbortController();
    // Every workflow that the node runs listens to it.
    setMaxListeners(0, controller.signal);
    return controller;
  }

  private async watch(code: () => unknown): Promise<unknown> {
    this.isWorking = true;
    try {
      return await code();
    } finally {
      this.isWorking = false;
    }
  }

  private async watchWithin(code: () => unknown, timeoutMs: number): Promise<unknown> {
    const over = () => this.stop(new ToolError('TimeoutError', `It did not end within ${timeoutMs} ms`));
    const limit = new TimeLimit(timeoutMs, over);
    this.limits = [...this.limits, limit];
    try {
      return await this.orStopped(this.watch(code));
    } finally {
      limit.stop();
    }
  }

  /** What a wait gives, unless the attempt is over before. A race with one lasting promise would keep all that ever raced it. */
  private orStopped<T>(wait: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.stopListeners.delete(reject);
        end();
      };
      wait.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      );
      if (this.over) reject(this.over.reason);
      else this.stopListeners.add(reject);
    });
  }

  private reportIfStillRunning(): void {
    const report = this.scope.run.options.onAbandoned;
    if (report) setTimeout(() => this.isWorking && report(this.nodeId), GRACE_MS).unref();
  }
}
