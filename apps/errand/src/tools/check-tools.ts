import { colour, print, say } from '../terminal.js';
import type { CommandLine } from '../command-line.js';
import { checkLibrary, renderProblem } from './check-library.js';

/** `./errand tools check [path]`: prints the problems of the files of a library. Exit code 1 if there are any. */
export async function checkTools({ options, words }: CommandLine<{ json?: true }>): Promise<number> {
  const { tools, problems } = await checkLibrary(words[0]);
  if (options.json) print(JSON.stringify({ items: problems }));
  else {
    for (const problem of problems) print(renderProblem(problem));
    say(problems.length === 0 ? colour.green(`No problems: ${count(tools, 'tool')}.`) : summary(problems));
  }
  return problems.length === 0 ? 0 : 1;
}

function summary(problems: readonly { file: string }[]): string {
  const files = new Set(problems.map(({ file }) => file)).size;
  return colour.red(
    `${count(problems.length, 'problem')} in ${count(files, 'file')}. Tools with problems are left out, the others load.`,
  );
}

const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;
