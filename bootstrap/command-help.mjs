import { EVERYWHERE } from './command-line.mjs';
import { exitCodesOf } from './exit-codes.mjs';

/** The help of one command, or of the whole command line if `path` is empty. It ends with a line break. */
export function renderHelp(command, path) {
  const line = ['./errand', ...path].join(' ');
  const parts = [
    [`${command.does[0].toUpperCase()}${command.does.slice(1)}`],
    ['', ...usageOf(command, line)],
    ...section('Options', optionLines(command.options ?? {})),
    ...section('Options of every command', optionLines(EVERYWHERE)),
    ...section('Exit codes', aligned(exitCodesOf(command, path))),
    ...(command.notes ? [['', command.notes]] : []),
  ];
  return `${parts.flat().join('\n')}\n`;
}

function usageOf({ run, operands, commands = {} }, line) {
  const own = run || operands ? [[[line, operands].filter(Boolean).join(' '), '']] : [];
  const others = Object.entries(commands).map(([name, command]) => [
    [line, name, command.operands].filter(Boolean).join(' '),
    command.does,
  ]);
  return aligned([...own, ...others]);
}

function optionLines(options) {
  return aligned(
    Object.entries(options).map(([name, { short, value, does }]) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      does,
    ]),
  );
}

const section = (title, lines) => (lines.length > 0 ? [['', `${title}:`, ...lines]] : []);

function aligned(rows) {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${second ? `${first.padEnd(width)}  ${second}` : first}`);
}
