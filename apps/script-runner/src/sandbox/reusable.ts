import { within } from './engine-error.js';
import { BOUNDS } from './limits.js';
import type { SandboxContainer } from './sandbox-container.js';

interface Idle {
  key: string;
  container: SandboxContainer;
  /** Resolves when its supervisor has proven it clean, with a word that no script can know. */
  again: Promise<void>;
  timer: NodeJS.Timeout;
}

/**
 * Containers that have served a tool and may serve it again, for tools with `reuse: "per-tool"`. The key says whose they are:
 * the tool's definition, its tenant and the environment; nobody else ever gets one.
 */
export class ReusableContainers {
  /** The one that came back last is the last. */
  private idle: Idle[] = [];

  constructor(
    /** How many wait in all; beyond, the one that has waited longest ends. */
    private readonly max: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** The one that was used last and proves to be clean. */
  async take(key: string): Promise<SandboxContainer | undefined> {
    for (let entry = this.last(key); entry !== undefined; entry = this.last(key)) {
      this.remove(entry);
      const isClean = await within(BOUNDS.releaseMs, entry.again).then(
        () => entry.container.dialogue.isOpen,
        () => false,
      );
      if (isClean) return entry.container;
      this.end(entry.container);
    }
    return undefined;
  }

  /** @param again settles when the container has been cleaned */
  give(key: string, container: SandboxContainer, again: Promise<void>): void {
    if (container.runs >= BOUNDS.reuseRuns || Date.now() - container.bornAt > BOUNDS.reuseMs)
      return this.end(container);
    if (this.idle.length >= this.max) this.drop(this.idle[0]!);
    const entry = { key, container, again, timer: setTimeout(() => this.drop(entry), BOUNDS.reuseIdleMs).unref() };
    this.idle.push(entry);
    void container.dialogue.closed.then(() => this.drop(entry));
  }

  close(): void {
    for (const entry of this.idle) this.drop(entry);
  }

  private last(key: string): Idle | undefined {
    return this.idle.findLast((entry) => entry.key === key);
  }

  private drop(entry: Idle): void {
    if (!this.idle.includes(entry)) return;
    this.remove(entry);
    this.end(entry.container);
  }

  private remove(entry: Idle): void {
    clearTimeout(entry.timer);
    this.idle = this.idle.filter((one) => one !== entry);
  }
}
