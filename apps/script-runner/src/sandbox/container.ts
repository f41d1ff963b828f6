/**
 * The life of one container:
 *
 * - named: the object exists, but Docker may not know the name yet. The name is chosen first, so that the container can
 *   be removed even if Docker's response to the creation was lost.
 * - created, attached, started: `open` passes these states. It attaches before the start, so that no byte is lost and
 *   Docker knows which client's end closes stdin.
 * - ready: the supervisor inside wrote its ready line. `channel` sends requests and receives responses.
 * - ending: `release` closes stdin and lets the supervisor exit; `destroy` kills the container.
 * - gone: Docker has confirmed the removal. Only then do `release` and `destroy` resolve.
 */
import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { BOUNDS } from './limits.js';
import type { containerOptions } from './container-options.js';
import { SupervisorChannel } from './protocol/channel.js';
import { asServiceError, statusOf, within } from './docker-errors.js';
import { HintedError } from '@errand/platform';
import { untrustedSupervisor } from './protocol/response.js';

/** The image that keeps the files of a container. */
export interface KeptImage {
  repo: string;
  tag: string;
  labels: Record<string, string>;
}

/** One container, from its creation to its confirmed end. */
export class SandboxContainer {
  readonly createdAt = Date.now();
  /** The number of runs that it has been given. */
  runs = 0;
  private opened: SupervisorChannel | undefined;
  private started = false;
  /** Another process has created the container of this name. */
  private isForeign = false;
  /**
   * Settles when Docker has removed the container. The request is sent before the start: Docker never answers it if the
   * container is gone by then.
   */
  private removed: Promise<void> = Promise.resolve();
  private readonly waiting = new AbortController();
  private container: Docker.Container;

  constructor(
    private readonly docker: Docker,
    private readonly options: ReturnType<typeof containerOptions>,
  ) {
    this.container = docker.getContainer(options.name);
  }

  get name(): string {
    return this.options.name;
  }

  /** The id of Docker, or the name until Docker has created the container. */
  get id(): string {
    return this.container.id;
  }

  get channel(): SupervisorChannel {
    if (!this.opened) throw new Error(`${this.name} has not been opened`);
    return this.opened;
  }

  /**
   * Creates, attaches and starts the container. Resolves when the supervisor inside accepts requests.
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
    this.removed.catch(() => {}); // `destroy` and `release` report it
    const attached = await this.container.attach({
      stream: true,
      stdin: true,
      stdout: true,
      stderr: true,
      hijack: true,
    });
    if (!(attached instanceof Duplex)) throw new Error('the Docker engine returned a stream that is not writable');
    this.opened = new SupervisorChannel(attached);
    const { Image: image = '', User: user = '' } = this.options;
    const ready = waitForReady(this.opened, { image, isApart: user.startsWith('0:') });
    ready.catch(() => {}); // awaited below, unless the start itself fails
    await this.container.start();
    this.started = true;
    await ready;
  }

  private async create(): Promise<Docker.Container> {
    try {
      return await this.docker.createContainer(this.options);
    } catch (error) {
      this.isForeign = statusOf(error) === 409;
      throw error;
    }
  }

  /**
   * Keeps the files of the container as an image. The image has the configuration of the container's own image, so that
   * it starts in the same way.
   * @throws ToolError ServiceError
   */
  async keepAs({ repo, tag, labels }: KeptImage): Promise<void> {
    try {
      const { Config } = await this.docker.getImage(this.options.Image ?? '').inspect();
      const body = { ...Config, Labels: { ...Config.Labels, ...labels } };
      await this.container.commit({ _query: { container: this.id, repo, tag }, _body: body });
    } catch (cause) {
      throw asServiceError('could not keep an image', cause);
    }
  }

  /**
   * Closes stdin, so that a supervisor that has responded or waits exits by itself. Destroys the container if it does
   * not exit in time. Without a kill, Docker starts one process less.
   * @throws ToolError ServiceError if the end could not be confirmed
   */
  async release(): Promise<void> {
    this.opened?.close();
    await within(BOUNDS.releaseMs, this.removed).catch(() => this.destroy());
  }

  /**
   * Kills and removes the container. Resolves when Docker has confirmed the removal. It closes the stream first: Docker
   * hangs in the kill while it waits for an unread stream.
   * @throws ToolError ServiceError if the end could not be confirmed
   */
  async destroy(): Promise<void> {
    if (this.isForeign) return;
    this.opened?.close();
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
 * Ends a container. It kills a running container, and Docker removes it: a second removal at the same time can make both
 * fail. It removes a container that does not run. Status 404 means that the container is gone. Status 409 means that it
 * has just ended, or that Docker is about to remove it.
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
 * The ready lines of a new container. `apart`: each run gets its own user, so that the container may serve several runs.
 * After a run, the ready line has the token of that run, which no script can know.
 */
const READY_LINES = { single: 'ready\n', apart: 'ready apart\n' };

/**
 * Resolves when the supervisor of a new container accepts requests.
 * @param image the hint names it if its supervisor is older than this runner
 * @throws ChannelClosed if the channel closes before
 * @throws ToolError SecurityError if something other than a supervisor writes; ServiceError if the supervisor cannot
 *   keep runs apart although it must
 */
export function waitForReady(
  channel: SupervisorChannel,
  { image, isApart }: { image: string; isApart: boolean },
): Promise<void> {
  const readyLine = isApart ? READY_LINES.apart : READY_LINES.single;
  let received = '';
  return new Promise((resolve, reject) => {
    channel.listen({
      onData(source, bytes) {
        if (source === 'stderr') return;
        received += bytes.toString('latin1');
        if (isApart && received === READY_LINES.single) throw outdated(image);
        if (!readyLine.startsWith(received)) throw untrustedSupervisor('an unknown ready line');
        if (received !== readyLine) return;
        channel.stopListening();
        resolve();
      },
      onClosed: reject,
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
