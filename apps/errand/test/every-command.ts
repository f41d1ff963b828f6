import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

interface Command {
  operands?: string;
  options?: Record<string, unknown>;
  commands?: Record<string, Command>;
}

export const ROOT = join(__dirname, '../../..');

/** The words of every command and subcommand in `bootstrap/commands.mjs`, which is not TypeScript. */
export function everyCommand(): string[][] {
  return commandsIn(table()).map(({ path }) => path);
}

/** The commands that talk to an API: their words and the operands that they need. */
export function everyClientCommand(): { path: string[]; operands: string }[] {
  return commandsIn(table()).flatMap(({ path, command: { options = {}, operands = '' } }) =>
    'url' in options ? [{ path, operands }] : [],
  );
}

function table(): Command {
  const program = `import { ERRAND } from ${JSON.stringify(join(ROOT, 'bootstrap/commands.mjs'))}; console.log(JSON.stringify(ERRAND))`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  ) as Command;
}

function commandsIn({ commands = {} }: Command, path: readonly string[] = []): { path: string[]; command: Command }[] {
  return Object.entries(commands).flatMap(([name, command]) => [
    { path: [...path, name], command },
    ...commandsIn(command, [...path, name]),
  ]);
}
