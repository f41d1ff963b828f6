import { availableParallelism } from 'node:os';
import type { Computation, JsonObject } from '@errand/contracts';
import { NodeThreads, packComputation } from '@errand/engine';
import type { WorkerSettings } from '@errand/platform';
import type { Work } from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerConfiguration } from '../worker-tokens.js';

/** The limit of the input that all jobs without a slot hold together, in characters. */
const MAX_WAITING = 256 * 1024 ** 2;
/** The size of a job besides its input, in characters. */
const SIZE_OF_A_JOB = 20_000;

/**
 * Runs the computations of nodes in threads. A job gives up its slot while its computation waits and runs, so that many jobs of one
 * tenant do not delay the jobs of others. The memory of the jobs without a slot is bounded. Beyond the bound, jobs keep their slots.
 */
@Injectable()
export class RunComputation {
  private readonly threads: NodeThreads;
  private waiting = 0;

  /** By default there is a thread for each core but one, because the event loop needs a core. */
  constructor(@Inject(WorkerConfiguration) settings: Pick<WorkerSettings, 'ERRAND_COMPUTE_THREADS'>) {
    this.threads = new NodeThreads(settings.ERRAND_COMPUTE_THREADS ?? Math.max(1, availableParallelism() - 1));
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
