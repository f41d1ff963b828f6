import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type Docker from 'dockerode';
import { containerOptions, type Purpose } from './container-options.js';
import type { Environment } from './environment.js';
import { SandboxContainer } from './sandbox-container.js';

/** Every container of this runner, from before it is made until its end is confirmed: whatever else carries its label is an orphan. */
export class Fleet {
  private readonly all = new Set<SandboxContainer>();
  /** Those that no longer wait for a run: the sandbox is idle without them. */
  private readonly departing = new Set<SandboxContainer>();
  private readonly departures = new EventEmitter();

  constructor(
    private readonly docker: Docker,
    private readonly owner: { runnerId: string; installation: string },
  ) {}

  /**
   * A container whose supervisor takes requests.
   * @param lifeMs how long it may be needed
   * @throws ToolError ServiceError; nothing is left then
   */
  async start(environment: Environment, purpose: Purpose, lifeMs: number): Promise<SandboxContainer> {
    const name = purpose.role === 'build' ? purpose.name : `errand-${purpose.role}-${randomBytes(10).toString('hex')}`;
    const deadline = Date.now() + lifeMs;
    const options = containerOptions({ name, ...this.owner, purpose, deadline, environment });
    const container = new SandboxContainer(this.docker, options);
    this.all.add(container);
    try {
      await container.open();
      return container;
    } catch (error) {
      this.destroy(container).catch(() => {}); // should its end not be confirmed, the next sweep finds it
      throw error;
    }
  }

  /** Resolves when it is proven gone. @throws ToolError ServiceError where that could not be confirmed */
  destroy(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.destroy());
  }

  /** Lets it go, in the background; should its end not be confirmed, the next sweep finds it. */
  release(container: SandboxContainer): void {
    this.awaitEnd(container).catch(() => {});
  }

  /** As `release`, for those who must know: resolves when it is gone. @throws ToolError ServiceError where that could not be confirmed */
  awaitEnd(container: SandboxContainer): Promise<void> {
    return this.untrack(container, container.release());
  }

  has({ id, names }: { id: string; names: string[] }): boolean {
    return [...this.all].some((one) => one.id === id || names.includes(one.name));
  }

  /** Resolves when every container that was let go is gone. */
  async settled(): Promise<void> {
    while (this.departing.size > 0) await once(this.departures, 'gone');
  }

  private async untrack(container: SandboxContainer, end: Promise<void>): Promise<void> {
    this.departing.add(container);
    try {
      await end;
    } finally {
      this.all.delete(container);
      this.departing.delete(container);
      this.departures.emit('gone');
    }
  }
}
