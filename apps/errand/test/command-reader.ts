import { fork, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inPatience } from '../../../test/support/eventually.js';
import { QUICK_START } from '../../../test/support/start-process.js';
import { ROOT } from './every-command.js';
import type { Outcome, Surroundings } from './run-errand.js';

/**
 * Runs command lines in one process, in the way that `./errand` does after its start. A start costs ten times as much as a command that
 * prints help or is refused.
 */
export class CommandReader {
  private readonly ended: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit');
  }

  /** @param root the folder of Errand, in which `npm run build` has been run if a command needs it */
  static async start({ env, cwd = ROOT }: Partial<Surroundings>, root = ROOT): Promise<CommandReader> {
    const execArgv = [...QUICK_START];
    const own = { PATH: process.env['PATH'], ERRAND_NO_INSTALL: 'true', ...env };
    // The input of a worker of jest never ends, and some commands read theirs.
    const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc'];
    const child = fork(join(__dirname, 'read-lines.mjs'), [root], { cwd, env: own, execArgv, stdio });
    await once(child, 'message');
    return new CommandReader(child);
  }

  /** Runs one line, while no other runs. A command that ends the process has no outcome. */
  async run(...args: string[]): Promise<Outcome> {
    const answered = once(this.child, 'message').then(([outcome]) => outcome as Outcome);
    this.child.send(args);
    const ended = Promise.race([answered, this.ended.then(() => undefined)]);
    const outcome = await inPatience(ended, () => `The outcome of ${JSON.stringify(args)}`);
    if (!outcome) throw new Error(`${JSON.stringify(args)} has ended the process`);
    return outcome;
  }

  async stop(): Promise<void> {
    this.child.disconnect();
    await this.ended;
  }
}
