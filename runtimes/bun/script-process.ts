import { readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunUser } from './run-user.ts';

/** The message to the waiting process when its script has come. */
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
const WAITING = join(import.meta.dir, 'script.js');
const WAITING_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };

/** The process of one script, in its own session. Usually it waits until its script has come. */
export class ScriptProcess {
  private told: Buffer = Buffer.alloc(0);

  private constructor(
    readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    private readonly user: RunUser,
    private readonly waits: boolean,
  ) {
    user.act(() => preferAsVictim(child.pid));
  }

  /** Starts Bun with script.ts. @param rehearses whether it may rehearse, which takes CPU time from a quick sequence of runs */
  static waiting(user: RunUser, rehearses: boolean): ScriptProcess {
    const env = rehearses ? { ...WAITING_ENV, ERRAND_REHEARSE: '1' } : WAITING_ENV;
    const command = [process.execPath, '--no-install', WAITING];
    return new ScriptProcess(
      user.start(() => spawn(command, '/', env)),
      user,
      true,
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

  /** Makes the process the script, with `input` on its stdin. */
  begin(order: Order, input: Buffer): void {
    if (this.waits) writeSync(Number(this.child.stdio[ORDER_FD]), `${JSON.stringify(order)}\n`);
    void this.feed(input).catch(() => {}); // a script need not read its input
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

  private readTold(): string {
    const chunk = Buffer.alloc(MAX_TOLD - this.told.length);
    try {
      this.told = Buffer.concat([this.told, chunk.subarray(0, readSync(Number(this.child.stdio[ORDER_FD]), chunk))]);
    } catch {
      // Nothing more has come: the descriptor does not block.
    }
    return this.told.toString();
  }
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
