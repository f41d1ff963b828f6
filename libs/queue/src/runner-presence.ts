import { randomUUID } from 'node:crypto';
import type { Queues } from './connect.js';
import { keys } from './names.js';

const BEAT_MS = 5_000;
/** Three beats may be missed before others take a runner for dead. */
const LIFE_SECONDS = 20;

/** A script-runner's sign of life, so that others know whose containers are orphans. */
export class RunnerPresence {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queues: Queues,
    readonly runnerId: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => this.beatAgain(), BEAT_MS);
  }

  /** The name of all that share this Redis: nobody else can tell whether a runner of theirs lives. */
  async installation(): Promise<string> {
    await this.queues.redis.set(keys.installation, randomUUID(), 'NX');
    return (await this.queues.redis.get(keys.installation))!;
  }

  /** Whether a runner has lately been seen; the question throws where Redis does not answer: no answer is not death. */
  async isAlive(runnerId: string): Promise<boolean> {
    return (await this.queues.redis.exists(keys.runner(runnerId))) === 1;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.queues.redis.status === 'ready')
      await this.queues.redis.del(keys.runner(this.runnerId)).catch(this.onError);
  }

  /** Beats are of no use later. */
  private beatAgain(): void {
    if (this.queues.redis.status === 'ready') this.beat().catch(this.onError);
  }

  private async beat(): Promise<void> {
    await this.queues.redis.set(keys.runner(this.runnerId), new Date().toISOString(), 'EX', LIFE_SECONDS);
  }
}
