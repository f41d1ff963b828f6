import { availableParallelism } from 'node:os';
import type { Computation, JsonObject } from '@errand/contracts';
import { NodeThreads, packComputation } from '@errand/engine';
import type { Work } from '@errand/queue';

/** How many characters of input the jobs without a slot may hold together. */
const MAX_WAITING = 256 * 1024 ** 2;
/** What a job takes besides. */
const SIZE_OF_A_JOB = 20_000;

/**
 * Runs the computations of nodes in threads. While its computation waits and runs, a job gives up its slot, so that the many jobs of one
 * tenant do not keep the jobs of others in the queue. The memory of the jobs without a slot is bounded; beyond it, jobs keep their slots.
 */
export class RunComputation {
  private readonly threads: NodeThreads;
  private waiting = 0;

  /** @param threads by default one less than the machine has cores: the event loop needs one */
  constructor(threads: number = Math.max(1, availableParallelism() - 1)) {
    this.threads = new NodeThreads(threads);
  }

  async run(work: Work, computation: Computation, signal: AbortSignal): Promise<JsonObject> {
    const packed = packComputation(computation);
    const outcome = this.threads.run(packed, { key: work.record.tenant, signal });
    const size = packed.size + SIZE_OF_A_JOB;
    if (this.waiting + size > MAX_WAITING) return outcome;
    this.waiting += size;
    return work.withoutSlot(outcome.finally(() => (this.waiting -= size)));
  }

  /** Ends all threads. */
  close(): Promise<void> {
    return this.threads.close();
  }
}
