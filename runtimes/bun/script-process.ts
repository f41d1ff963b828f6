import { readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunUser } from './run-user.ts';

/** What the waiting process is told when its script has come. */
export interface Order {
  entry: string;
  folder: string;
  env: Record<string, string>;
}

/** One descriptor serves both ways: the order in, the uncaught error out. */
const ORDER_FD = 3;
const MAX_TOLD = 8_192;
const WAITING = join(import.meta.dir, 'script.ts');
const WAITING_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };

/** A process of a script's own, in a session of its own: most wait until their script has come. */
export class ScriptProcess {
  private constructor(
    readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    private readonly user: RunUser,
    private readonly waits: boolean,
  ) {
    user.act(() => preferAsVictim(child.pid));
  }

  /** Bun, up already, as what script.ts says. @param rehearses whether it may do so: it takes CPU time that a quick sequence of runs has not */
  static waiting(user: RunUser, rehearses: boolean): ScriptProcess {
    const env = rehearses ? { ...WAITING_ENV, ERRAND_REHEARSE: '1' } : WAITING_ENV;
    const command = [process.execPath, '--no-install', WAITING];
    return new ScriptProcess(
      user.start(() => spawn(command, '/', env)),
      user,
      true,
    );
  }

  /** An interpreter that is not Bun, started only now. */
  static started(user: RunUser, interpreter: string, { entry, folder, env }: Order): ScriptProcess {
    return new ScriptProcess(
      user.start(() => spawn([interpreter, entry], folder, env)),
      user,
      false,
    );
  }

  /** Lets it become the script, with `input` on its stdin. */
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
        // Ended, or without a group of its own yet.
      }
    }
  }

  /** The uncaught error that it told of, once it has ended. */
  readException(): unknown {
    try {
      const told = Buffer.alloc(MAX_TOLD);
      return JSON.parse(told.toString('utf8', 0, readSync(Number(this.child.stdio[ORDER_FD]), told)));
    } catch {
      return null; // It ended otherwise.
    }
  }
}

function spawn(command: string[], cwd: string, env: Record<string, string>) {
  return Bun.spawn(command, { cwd, env, stdio: ['pipe', 'pipe', 'inherit', 'pipe'], detached: true });
}

/** When memory runs out the kernel shall take the script and leave the supervisor, who tells of it. */
function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended already.
  }
}
