import { setMaxListeners } from 'node:events';
import { ToolError } from '@errand/contracts';
import type { OnceMark } from '../journal/run-once.js';
import { Suspended } from './suspended.js';
import type { RunScope } from './run-scope.js';
import { TimeLimit } from './time-limit.js';
import { PermitLease } from './permit-lease.js';

/**
 * The reason of the signal after work that ended by itself. Shared instance: creating an Error (stack trace) is
 * expensive.
 */
const ENDED = new ToolError('CancelledError', 'It has ended');

/** A node that still runs this long after a stop is reported as abandoned. */
const GRACE_MS = 1000;

/**
 * One attempt to run a node. States:
 * - waiting for a permit: after `run` is called.
 * - running: the node's code runs, within the time limit.
 * - waiting: the code waits without a permit (`waitWithoutPermit`, `suspend`).
 * - over: the code ended, the time is over, or `stop` was called. The first of these wins, and later results are
 *   discarded.
 * The signal is created on first use, because most nodes do not need it. It also fires after a normal end, so that no
 * work continues in the background.
 */
export class Attempt {
  /** Stays the same when the node runs again after a crash. Each retry has its own. */
  readonly key: string;
  readonly lease: PermitLease;
  /** The time limits of this node and of the nodes around it. They pause while the attempt waits. */
  limits: readonly TimeLimit[];
  /** The mark of a node that must run only once. */
  once: OnceMark | undefined;
  /** Whether it called a tool that may have effects. */
  hasActed = false;
  private controller: AbortController | undefined;
  private stopListeners: Set<(reason: unknown) => void> | undefined;
  private over: { reason: unknown } | undefined;
  private isWorking = false;
  private endings: (() => void)[] | undefined;
  private calls = 0;
  private waits = 0;
  private isWaiting = false;

  readonly nodeId: string;
  readonly number: number;
  /** Whether the workflow sets the retries of this node or of one around it. */
  readonly isRetried: boolean;

  constructor(
    { nodeId, number, isRetried }: Pick<Attempt, 'nodeId' | 'number' | 'isRetried'>,
    readonly scope: RunScope,
    /** `none` for a node without code of its own: the nodes inside it need the permits. */
    permit: 'none' | 'held' | 'wanted',
  ) {
    const { run } = scope;
    this.nodeId = nodeId;
    this.number = number;
    this.isRetried = isRetried;
    this.key = number === 1 ? nodeId : `${nodeId}#${number}`;
    this.lease = new PermitLease(run.activeCount, permit === 'none' ? undefined : run.permits, permit === 'held');
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

  /** Numbers the calls of tools and workflows, so that a node that runs again makes the same calls. */
  nextCall(): string {
    return `${this.key}:${++this.calls}`;
  }

  /** Allows one wait at a time, because waits are identified by their order. @throws NodeError */
  async suspend<T>(wait: (number: number) => Promise<T>): Promise<T> {
    this.throwIfOver();
    if (this.isWaiting) throw new ToolError('NodeError', 'A node can wait for one thing at a time');
    this.isWaiting = true;
    try {
      return await wait(++this.waits);
    } finally {
      this.isWaiting = false;
    }
  }

  /** Calls back at the end of the attempt, whatever the reason. */
  onEnd(callback: () => void): void {
    (this.endings ??= []).push(callback);
  }

  /** @throws the reason of its end */
  throwIfOver(): void {
    if (this.over) throw this.over.reason;
  }

  /**
   * Runs `code` and returns its result. `timeoutMs` counts from the moment the attempt has a permit.
   * @throws the error of the code; TimeoutError
   */
  async run(code: () => unknown, timeoutMs: number | undefined): Promise<unknown> {
    const waiting = this.lease.begin();
    if (waiting) await waiting;
    this.throwIfOver();
    return this.untilEnd(timeoutMs === undefined ? this.watch(code) : this.watchWithin(code, timeoutMs));
  }

  /** Returns the result of code that has begun with the permit of the attempt. @throws the error of the code */
  continue(code: () => unknown): Promise<unknown> {
    return this.untilEnd(this.watch(code));
  }

  /** Ends the attempt after its code has ended by itself. */
  end(): void {
    this.stop(ENDED);
  }

  /** Awaits something of the engine without holding a permit. */
  async waitWithoutPermit<T>(wait: Promise<T>): Promise<T> {
    try {
      return await this.lease.waitWithoutPermit(this.orStopped(wait));
    } catch (error) {
      // The run is suspended and resumes later. The code must not see this as a failure.
      if (this.over?.reason instanceof Suspended) await new Promise(() => {});
      throw error;
    }
  }

  /** Ends the attempt and aborts its signal. */
  stop(reason: unknown): void {
    if (this.over) return;
    this.over = { reason };
    this.lease.end();
    this.controller?.abort(reason);
    if (this.stopListeners) for (const onStop of this.stopListeners) onStop(reason);
    if (this.endings) for (const end of this.endings) end();
    if (reason !== ENDED && !(reason instanceof Suspended)) this.reportIfStillRunning();
  }

  private newController(): AbortController {
    const controller = new AbortController();
    // Every workflow that the node runs adds a listener.
    setMaxListeners(0, controller.signal);
    return controller;
  }

  private async untilEnd(work: Promise<unknown>): Promise<unknown> {
    try {
      return await work;
    } finally {
      this.end();
    }
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

  /**
   * Returns the result of a wait, or rejects when the attempt stops. `Promise.race` with one long-lived promise would
   * keep all waits in memory.
   */
  private orStopped<T>(wait: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.stopListeners?.delete(reject);
        end();
      };
      wait.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      );
      if (this.over) reject(this.over.reason);
      else (this.stopListeners ??= new Set()).add(reject);
    });
  }

  private reportIfStillRunning(): void {
    const report = this.scope.run.options.onAbandoned;
    if (report) setTimeout(() => this.isWorking && report(this.nodeId), GRACE_MS).unref();
  }
}
