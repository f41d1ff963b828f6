import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inPatience } from '../../../test/support/eventually.js';
import { QUICK_START } from '../../../test/support/start-process.js';
import { ROOT } from './every-command.js';
import type { Outcome, Surroundings } from './run-errand.js';

/**
 * Runs command lines in one process, in the way that `./errand` does after its start. A start costs ten times as much as most commands. A
 * test needs a start of its own for signals, a terminal, a stdin that stays open, and an output that is larger than a pipe.
 */
export class CommandReader {
  private readonly ended: Promise<unknown>;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit');
  }

  /**
   * @param surroundings of every line. The data folder is the same for all lines.
   * @param root the folder of Errand, in which `npm run build` has been run if a command needs it
   */
  static async start({ env, cwd = ROOT }: Partial<Surroundings>, root = ROOT): Promise<CommandReader> {
    const own = { PATH: process.env['PATH'], ERRAND_NO_INSTALL: 'true', ...env };
    const child = fork(join(__dirname, 'read-lines.mjs'), [root], {
      cwd,
      env: own,
      execArgv: [...QUICK_START],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return new CommandReader(child);
  }

  /** Runs one line, after those that run. A command that ends the process has no outcome. */
  run(...args: string[]): Promise<Outcome> {
    return this.runIn({}, ...args);
  }

  /** Runs one line in other surroundings than those of the reader. `env` is added to the environment; stdin is closed after its text. */
  runIn(surroundings: Partial<Surroundings>, ...args: string[]): Promise<Outcome> {
    if (surroundings.env && 'ERRAND_DATA_DIR' in surroundings.env)
      throw new Error('Errand reads ERRAND_DATA_DIR once: give it to the start of the reader');
    const outcome = this.last.then(() => this.ask({ args, ...surroundings }));
    this.last = outcome.catch(() => undefined);
    return outcome;
  }

  private async ask(line: { args: string[] } & Partial<Surroundings>): Promise<Outcome> {
    const answered = once(this.child, 'message').then(([outcome]) => outcome as Outcome);
    this.child.send(line);
    const ended = Promise.race([answered, this.ended.then(() => undefined)]);
    const outcome = await inPatience(ended, () => `The outcome of ${JSON.stringify(line.args)}`);
    if (!outcome) throw new Error(`${JSON.stringify(line.args)} has ended the process`);
    return outcome;
  }

  async stop(): Promise<void> {
    this.child.disconnect();
    await this.ended;
  }
}
