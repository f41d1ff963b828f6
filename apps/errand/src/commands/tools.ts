import { runSubcommand } from '../run-subcommand.js';
import { checkTools } from '../tools/check-tools.js';
import { draftTool } from '../tools/draft-tool.js';
import { listTools } from '../tools/list-tools.js';
import { showTool } from '../tools/show-tool.js';

const HELP = `The tools that there are: those of the running stack, else those of the library's files.

  ./errand tools [words]            list them; with words, those that fit, the best first
      --namespace core  --tag text  --kind node|workflow|service|script|external  --agent demo
      --limit 10
  ./errand tools show <id>          one with parameters, examples, and a call to paste in each protocol
  ./errand tools check [path]       what is wrong with a library, a plugin or a file; exit code 1 where anything is
  ./errand tools draft <script>     write a tool file from docstring and types of a script (.py .ts .js)
      --function name   the function to call, where the script has several
      --id my:name      the tool's id

--json prints JSON for programs. --library <folder> reads the files of that folder, whether a stack runs or not.
Exit codes: 0 well, 1 nothing found or something wrong, 2 a command line that can't be understood.`;

/** `./errand tools …` */
export function run(args: string[]): Promise<number> {
  const each = { list: listTools, show: showTool, check: checkTools, draft: draftTool };
  return runSubcommand({ name: 'tools', help: HELP, each, otherwise: listTools }, args);
}
