import { BOUNDS } from './limits.js';
import type { SandboxContainer } from './sandbox-container.js';

interface Idle {
  container: SandboxContainer;
  /** Settles when it has been cleaned. */
  again: Promise<void>;
  timer: NodeJS.Timeout;
}

/**
 * Containers that have served a tool and may serve it again, for tools with `reuse: "per-tool"`. The key says whose they are:
 * the tool's definition, its tenant and the environment; nobody else ever gets one.
 */
export class ReusableContainers {
  private readonly idle = new Map<string, Idle[]>();

  constructor(
    /** How many wait in all. */
    private readonly max: number,
    private readonly end: (container: SandboxContainer) => void,
  ) {}

  /** The one that was used last and proves to be clean. */
  async take(key: string): Promise<SandboxContainer | undefined> {
    for (let entry = this.pop(key); entry !== undefined; entry = this.pop(key)) {
      try {
        await entry.again;
        if (entry.container.dialogue.isOpen) return entry.container;
      } catch {
        // Its end is its own affair, below.
      }
      this.end(entry.container);
    }
    return undefined;
  }

  /** @param again settles when the container has been cleaned */
  give(key: string, container: SandboxContainer, again: Promise<void>): void {
    const isSpent = container.runs >= BOUNDS.reuseRuns || Date.now() - container.bornAt > BOUNDS.reuseMs;
    if (isSpent || this.count >= this.max) return this.end(container);
    const timer = setTimeout(() => this.drop(key, container), BOUNDS.reuseIdleMs).unref();
    this.idle.set(key, [...(this.idle.get(key) ?? []), { container, again, timer }]);
    void container.dialogue.closed.then(() => this.drop(key, container));
  }

  close(): void {
    for (const [key, entries] of this.idle) for (const { container } of entries) this.drop(key, container);
  }

  private get count(): number {
    return [...this.idle.values()].reduce((sum, entries) => sum + entries.length, 0);
  }

  private pop(key: string): Idle | undefined {
    const entry = this.idle.get(key)?.at(-1);
    if (entry) this.remove(key, entry);
    return entry;
  }

  private drop(key: string, container: SandboxContainer): void {
    const entry = this.idle.get(key)?.find((one) => one.container === container);
    if (!entry) return;
    this.remove(key, entry);
    this.end(container);
  }

  private remove(key: string, entry: Idle): void {
    clearTimeout(entry.timer);
    const rest = this.idle.get(key)!.filter((one) => one !== entry);
    if (rest.length > 0) this.idle.set(key, rest);
    else this.idle.delete(key);
  }
}
