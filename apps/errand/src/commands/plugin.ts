import { newPlugin } from '../plugins/new-plugin.js';
import { runSubcommand } from '../run-subcommand.js';

const HELP = `Plugins: folders that bring nodes, workflows, scripts and tools of their own.

  ./errand plugin new <name>        make one that loads, with a tool of each kind and a test that passes
      --in <folder>     the library to put it into; by default the first of ERRAND_LIBRARY

Nothing is overwritten. Exit codes: 0 well, 1 it is there already, 2 a name or a command line that can't be used.`;

/** `./errand plugin …` */
export function run(args: string[]): Promise<number> {
  return runSubcommand({ name: 'plugin', help: HELP, each: { new: newPlugin } }, args);
}
