import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { BOUNDS } from './limits.js';
import type { containerOptions } from './container-options.js';
import { asServiceError, statusOf, within } from './engine-error.js';

/**
 * One container, from its creation to its proven end. Its name is chosen beforehand, so that it can be removed even when the
 * engine's answer to the creation was lost.
 */
export class SandboxContainer {
  private socket: Duplex | undefined;
  private started = false;
  private readonly container: Docker.Container;

  constructor(
    private readonly docker: Docker,
    private readonly options: ReturnType<typeof containerOptions>,
  ) {
    this.container = docker.getContainer(options.name);
  }

  get name(): string {
    return this.options.name;
  }

  /**
   * Creates, attaches, starts. The stream is attached first: no byte is missed, and the engine knows whose end closes stdin.
   * @returns the attached stream, multiplexed by the engine
   * @throws ToolError ServiceError
   */
  async open(): Promise<Duplex> {
    try {
      return await within(BOUNDS.bootMs, this.start());
    } catch (cause) {
      throw asServiceError('could not start a sandbox', cause);
    }
  }

  private async start(): Promise<Duplex> {
    await this.docker.createContainer(this.options);
    const attached = await this.container.attach({
      stream: true,
      stdin: true,
      stdout: true,
      stderr: true,
      hijack: true,
    });
    if (!(attached instanceof Duplex)) throw new Error('the engine gave no stream that can be written to');
    this.socket = attached;
    // A broken pipe only says that the container has ended, which its own end tells better.
    this.socket.on('error', () => {});
    await this.container.start();
    this.started = true;
    return this.socket;
  }

  /**
   * Lets a container go whose supervisor has answered and so ends by itself; one that does not is destroyed.
   * Sparing the kill spares the engine a process.
   * @throws ToolError ServiceError when the end could not be confirmed
   */
  async release(): Promise<void> {
    this.socket?.destroy();
    await within(BOUNDS.releaseMs, awaitRemoval(this.container)).catch(() => this.destroy());
  }

  /**
   * Kills and removes the container; resolves when the engine has confirmed that it is gone.
   * The stream is closed first: an engine that waits for an unread stream hangs in the kill.
   * @throws ToolError ServiceError when the end could not be confirmed
   */
  async destroy(): Promise<void> {
    this.socket?.destroy();
    try {
      await within(BOUNDS.destroyMs, this.started ? killAndAwaitRemoval(this.container) : removeIdle(this.container));
    } catch (cause) {
      throw asServiceError(`could not confirm the end of the sandbox ${this.name}`, cause);
    }
  }
}

/** A container that runs, or has run, is removed by the engine itself: a removal of ours at the same time makes both fail. */
export async function killAndAwaitRemoval(container: Docker.Container): Promise<void> {
  await unless([404, 409], container.kill()); // gone, or ended by itself
  await awaitRemoval(container);
}

async function awaitRemoval(container: Docker.Container): Promise<void> {
  await unless([404], container.wait({ condition: 'removed' }));
}

/** Removes a container that does not run: one that never began, or that the engine forgot to remove. 409: it is at it just now. */
export async function removeIdle(container: Docker.Container): Promise<void> {
  await unless([404, 409], container.remove({ force: true, v: true }));
}

async function unless(statuses: number[], request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error;
  }
}
