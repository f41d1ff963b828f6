import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { BOUNDS } from './limits.js';
import type { containerOptions } from './container-options.js';
import { SupervisorChannel } from './protocol/channel.js';
import { asServiceError, statusOf, within } from './docker-errors.js';
import { HintedError } from '../hinted-error.js';
import { untrustedSupervisor } from './protocol/untrusted-supervisor.js';

/** What a container's files are kept as. */
export interface KeptImage {
  repo: string;
  tag: string;
  labels: Record<string, string>;
}

/**
 * One container, from its creation to its proven end. Its name is chosen beforehand, so that it can be removed even when the
 * engine's answer to the creation was lost.
 */
export class SandboxContainer {
  readonly bornAt = Date.now();
  /** How many runs it has been given. */
  runs = 0;
  private talk: SupervisorChannel | undefined;
  private started = false;
  /** There is a container of this name, but another process has made it. */
  private isOthers = false;
  /** Settles when the engine has removed the container. Asked for before it starts: asked for too late, the engine never answers. */
  private removed: Promise<void> = Promise.resolve();
  private readonly waiting = new AbortController();
  private container: Docker.Container;

  constructor(
    private readonly docker: Docker,
    private readonly options: ReturnType<typeof containerOptions>,
  ) {
    this.container = docker.getContainer(options.name);
  }

  /** The name that it was made with. */
  get name(): string {
    return this.options.name;
  }

  /** What the engine knows it by; its name until the engine has made it. */
  get id(): string {
    return this.container.id;
  }

  get channel(): SupervisorChannel {
    if (!this.talk) throw new Error(`${this.name} has not been opened`);
    return this.talk;
  }

  /**
   * Creates, attaches, starts; resolves when the supervisor inside takes requests. The stream is attached first: no byte is
   * missed, and the engine knows whose end closes stdin.
   * @throws ToolError ServiceError
   */
  async open(): Promise<void> {
    try {
      await within(BOUNDS.bootMs, this.start());
    } catch (cause) {
      throw asServiceError('could not start a sandbox', cause);
    }
  }

  private async start(): Promise<void> {
    this.container = this.docker.getContainer((await this.create()).id);
    const { signal } = this.waiting;
    this.removed = unless([404], this.container.wait({ condition: 'removed', abortSignal: signal }));
    this.removed.catch(() => {}); // who destroys is told
    const attached = await this.container.attach({
      stream: true,
      stdin: true,
      stdout: true,
      stderr: true,
      hijack: true,
    });
    if (!(attached instanceof Duplex)) throw new Error('the engine gave no stream that can be written to');
    this.talk = new SupervisorChannel(attached);
    const { Image: image = '', User: user = '' } = this.options;
    const readyLine = waitForReady(this.talk, { image, isApart: user.startsWith('0:') });
    readyLine.catch(() => {}); // awaited below, unless the start itself fails
    await this.container.start();
    this.started = true;
    await readyLine;
  }

  private async create(): Promise<Docker.Container> {
    try {
      return await this.docker.createContainer(this.options);
    } catch (error) {
      this.isOthers = statusOf(error) === 409;
      throw error;
    }
  }

  /**
   * Keeps its files as an image that is to its own image what this container is: started the same way.
   * @throws ToolError ServiceError
   */
  async keepAs({ repo, tag, labels }: KeptImage): Promise<void> {
    try {
      const { Config } = await this.docker.getImage(this.options.Image!).inspect();
      const body = { ...Config, Labels: { ...Config.Labels, ...labels } };
      await this.container.commit({ _query: { container: this.id, repo, tag }, _body: body });
    } catch (cause) {
      throw asServiceError('could not keep an image', cause);
    }
  }

  /**
   * Lets a container go whose supervisor has answered, or waits, and so ends by itself; one that does not is destroyed.
   * Sparing the kill spares the engine a process.
   * @throws ToolError ServiceError when the end could not be confirmed
   */
  async release(): Promise<void> {
    this.talk?.close();
    await within(BOUNDS.releaseMs, this.removed).catch(() => this.destroy());
  }

  /**
   * Kills and removes the container; resolves when the engine has confirmed that it is gone.
   * The stream is closed first: an engine that waits for an unread stream hangs in the kill.
   * @throws ToolError ServiceError when the end could not be confirmed
   */
  async destroy(): Promise<void> {
    if (this.isOthers) return;
    this.talk?.close();
    try {
      await within(BOUNDS.destroyMs, this.started ? this.killAndAwaitRemoval() : end(this.container, false));
    } catch (cause) {
      if (!(await this.isUnknown()))
        throw asServiceError(`could not confirm the end of the sandbox ${this.name}`, cause);
    } finally {
      this.waiting.abort();
    }
  }

  private async killAndAwaitRemoval(): Promise<void> {
    await end(this.container, true);
    await this.removed;
  }

  private async isUnknown(): Promise<boolean> {
    return this.container.inspect().then(
      () => false,
      (error: unknown) => statusOf(error) === 404,
    );
  }
}

/**
 * Ends a container. One that runs is killed, and the engine removes it: a removal of ours at the same time can make both fail.
 * One that does not is removed. 404: it is gone. 409: it has just ended by itself, or the engine is about to remove it.
 */
export async function end(container: Docker.Container, running: boolean): Promise<void> {
  await unless([404, 409], running ? container.kill() : container.remove({ force: true, v: true }));
}

async function unless(statuses: number[], request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error;
  }
}

/**
 * The greetings of a new container. `apart`: each run gets a user of its own, so the container may serve several. A container that has
 * served a run greets with the token of that run, which no script can know.
 */
const READY_LINES = { single: 'ready\n', apart: 'ready apart\n' };

/**
 * Resolves when the supervisor of a new container takes requests.
 * @param image the hint names it where its supervisor is older than this runner
 * @throws ChannelClosed when it ends before
 * @throws ToolError SecurityError when something else is there than a supervisor; ServiceError when it does not keep runs apart
 *   though it must
 */
export function waitForReady(
  channel: SupervisorChannel,
  { image, isApart }: { image: string; isApart: boolean },
): Promise<void> {
  const readyLine = isApart ? READY_LINES.apart : READY_LINES.single;
  let heard = '';
  return new Promise((resolve, reject) => {
    channel.listen({
      hear(source, bytes) {
        if (source === 'stderr') return;
        heard += bytes.toString('latin1');
        if (isApart && heard === READY_LINES.single) throw outdated(image);
        if (!readyLine.startsWith(heard)) throw untrustedSupervisor('no greeting');
        if (heard !== readyLine) return;
        channel.stopListening();
        resolve();
      },
      fail: reject,
    });
  });
}

function outdated(image: string): HintedError {
  return new HintedError(
    'ServiceError',
    'The script runner cannot share a container between runs: its image is outdated',
    `The image ${image} holds a supervisor of an older version, which cannot keep the runs of one container apart; build the image again from runtimes/ (./errand up does)`,
  );
}
