import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

interface Command {
  commands?: Record<string, Command>;
}

export const ROOT = join(__dirname, '../../..');

/** The words of every command and subcommand in `bootstrap/commands.mjs`, which is not TypeScript. */
export function everyCommand(): string[][] {
  const program = `import { ERRAND } from ${JSON.stringify(join(ROOT, 'bootstrap/commands.mjs'))}; console.log(JSON.stringify(ERRAND))`;
  const table = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return pathsIn(JSON.parse(table) as Command);
}

function pathsIn({ commands = {} }: Command, path: readonly string[] = []): string[][] {
  return Object.entries(commands).flatMap(([name, command]) => [[...path, name], ...pathsIn(command, [...path, name])]);
}
