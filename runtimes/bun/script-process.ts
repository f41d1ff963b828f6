import { readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunUser } from './run-user.ts';

/** The message to the waiting process when its script has come. */
export interface Order {
  entry: string;
  folder: string;
  env: Record<string, string>;
}

/** One descriptor carries the order to the process, and the uncaught error back. */
const ORDER_FD = 3;
const MAX_TOLD = 8_192;
/** Built from script.ts (Dockerfile). */
const WAITING = join(import.meta.dir, 'script.js');
const WAITING_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };

/** The process of one script, in its own session. Usually it waits until its script has come. */
export class ScriptProcess {
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
    const { stdin, stdio } = this.child;
    stdin.write(input);
    void Promise.resolve(stdin.end()).catch(() => {}); // a script need not read its input
    if (this.waits) writeSync(Number(stdio[ORDER_FD]), `${JSON.stringify(order)}\n`);
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

  /** Reads the uncaught error that the process reported before its end. */
  readException(): unknown {
    try {
      const told = Buffer.alloc(MAX_TOLD);
      return JSON.parse(told.toString('utf8', 0, readSync(Number(this.child.stdio[ORDER_FD]), told)));
    } catch {
      return null; // it reported no error
    }
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
