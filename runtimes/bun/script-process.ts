import { closeSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunUser } from './run-user.ts';

/** What a process needs to become a script. */
export interface Order {
  entry: string;
  folder: string;
  env: Record<string, string>;
}

/** One descriptor carries the order to the process, and the uncaught error and the end of the script back. */
const ORDER_FD = 3;
/** A process that reports its end has used this much memory at most. The uncaught error is JSON, which has no such bytes. */
const END = /\0(\d{1,12})\0$/;
const MAX_TOLD = 8_192;
/** Built from script.ts (Dockerfile). */
const SCRIPT = join(import.meta.dir, 'script.js');
const START_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };
/** With it, Bun transpiles in the thread of the script. A start would need more CPU time with a pool of threads. */
const NO_POOL = { BUN_FEATURE_FLAG_DISABLE_ASYNC_TRANSPILER: '1' };
/** Linux limits one variable of the environment to 131,072 bytes. */
const MAX_ORDER_BYTES = 100_000;

/** The process of one script, in its own session. In a container that waits, it starts before its script comes. */
export class ScriptProcess {
  private told: Buffer = Buffer.alloc(0);
  private orderFd: number | undefined;

  private constructor(
    readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    private readonly user: RunUser,
    private readonly waits: boolean,
  ) {
    this.orderFd = Number(child.stdio[ORDER_FD]);
    user.act(() => preferAsVictim(child.pid));
  }

  /** Starts Bun with script.ts, which waits for its order. */
  static waiting(user: RunUser): ScriptProcess {
    return new ScriptProcess(
      user.start(() => spawnBun({})),
      user,
      true,
    );
  }

  /** Starts Bun with script.ts and its order, which takes less CPU time than to wait for the order. */
  static ordered(user: RunUser, order: Order): ScriptProcess {
    const text = JSON.stringify(order);
    if (Buffer.byteLength(text) > MAX_ORDER_BYTES) return ScriptProcess.waiting(user);
    return new ScriptProcess(
      user.start(() => spawnBun({ ...NO_POOL, ERRAND_ORDER: text })),
      user,
      false,
    );
  }

  /** Starts an interpreter other than Bun with the script. */
  static started(user: RunUser, interpreter: string, { entry, folder, env }: Order): ScriptProcess {
    return new ScriptProcess(
      user.start(() => spawn([interpreter, entry], folder, env)),
      user,
      false,
    );
  }

  /** Makes the process the script, with `input` on its stdin. Resolves when it has its order. */
  async begin(order: Order, input: Buffer): Promise<void> {
    if (this.waits) await this.give(Buffer.from(`${JSON.stringify(order)}\n`));
    void this.feed(input).catch(() => {}); // a script need not read its input
  }

  /** Writes the order in parts, because the socket takes about 200 KB at once. */
  private async give(order: Buffer): Promise<void> {
    for (let left = order; left.length > 0;) {
      try {
        left = left.subarray(writeSync(this.orderFd!, left));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
        await Bun.sleep(1);
      }
    }
  }

  private async feed(input: Buffer): Promise<void> {
    this.child.stdin.write(input);
    await this.child.stdin.end();
  }

  kill(): void {
    for (const target of [-this.child.pid, this.child.pid]) {
      try {
        this.user.act(() => process.kill(target, 'SIGKILL'));
      } catch {
        // The process has ended, or has no group of its own yet.
      }
    }
  }

  /** The most memory of a process that has reported its end, in KiB. Undefined if it has not reported it. */
  readEnd(): number | undefined {
    const [, peakKb] = END.exec(this.readTold()) ?? [];
    return peakKb === undefined ? undefined : Number(peakKb);
  }

  /** The uncaught error that the process reported before its end, or null. */
  readException(): unknown {
    const [error] = this.readTold().split('\0');
    try {
      return error ? JSON.parse(error) : null;
    } catch {
      return null; // it reported something else
    }
  }

  /** Closes the descriptor of the order. Bun leaves it open, and the supervisor may have only 256 open files. */
  close(): void {
    closeSync(this.orderFd!);
    this.orderFd = undefined;
  }

  private readTold(): string {
    const chunk = Buffer.alloc(MAX_TOLD - this.told.length);
    try {
      if (this.orderFd !== undefined)
        this.told = Buffer.concat([this.told, chunk.subarray(0, readSync(this.orderFd, chunk))]);
    } catch {
      // Nothing more has come: the descriptor does not block.
    }
    return this.told.toString();
  }
}

function spawnBun(env: Record<string, string>) {
  return spawn([process.execPath, '--no-install', SCRIPT], '/', { ...START_ENV, ...env });
}

function spawn(command: string[], cwd: string, env: Record<string, string>) {
  return Bun.spawn(command, { cwd, env, stdio: ['pipe', 'pipe', 'inherit', 'pipe'], detached: true });
}

/** Makes the kernel kill the script when memory runs out, and not the supervisor, which reports it. */
function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // The process has already ended.
  }
}
