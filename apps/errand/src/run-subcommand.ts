import { didYouMean } from '@errand/contracts';
import { print, say } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Some commands under one name: what each does, and `help` for them all. */
export interface Subcommands {
  /** The command line of them all, as `tools`. */
  name: string;
  help: string;
  /** By name; `run` gives the exit code. */
  each: Readonly<Record<string, (args: string[]) => Promise<number>>>;
  /** What words mean that name none of them; without it, they are a mistake. */
  otherwise?: (args: string[]) => Promise<number>;
}

/** Runs the one that is named. Exit code 2, with the reason, for a command line that can't be understood. */
export async function runSubcommand({ name, help, each, otherwise }: Subcommands, args: string[]): Promise<number> {
  if (args.some((word) => word === '--help' || word === '-h') || (args.length === 1 && args[0] === 'help')) {
    print(help);
    return 0;
  }
  const [first = '', ...rest] = args;
  try {
    if (Object.hasOwn(each, first)) return await each[first]!(rest);
    if (otherwise) return await otherwise(args);
    const near = didYouMean(first, Object.keys(each));
    throw new UsageError(
      first === ''
        ? help
        : `There is no command '${name} ${first}'${near ? `, did you mean '${name} ${near}'?` : `; there is: ${Object.keys(each).join(', ')}`}`,
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    if (error.message !== help) say(`\`./errand ${name} --help\` says more.`);
    return 2;
  }
}
