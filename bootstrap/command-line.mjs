import { parseArgs } from 'node:util';
import { nearestWord } from './nearest-word.mjs';
import { UsageError } from './usage-error.mjs';

/**
 * A command of the table in `commands.mjs`.
 * @typedef {object} Command
 * @property {string} does the description, in one line
 * @property {string} [operands] the operands: `<one>` is required, `[one]` is optional, `[several…]` repeats
 * @property {string} [example] the operands in an example
 * @property {Record<string, Option>} [options] the options by their long names
 * @property {string} [dashes] the use of `--`, with an example
 * @property {string} [notes] more lines of the help
 * @property {Record<number, string>} [exits] meanings of exit codes that differ from `exit-codes.mjs`
 * @property {boolean} [follows] whether the command follows an invocation until Ctrl-C
 * @property {Record<string, Command>} [commands] the subcommands
 * @property {(line: { options: Record<string, string | true>, words: string[] }) => unknown} [needs] provides everything that the
 *   command needs
 * @property {(line: { options: Record<string, string | true>, words: string[] }) => unknown} [run] runs the command and returns the
 *   exit code; a command without it has only subcommands
 *
 * @typedef {object} Option
 * @property {'boolean' | 'string'} type
 * @property {string} [short] the option as one letter
 * @property {string} [value] the placeholder of the value in help
 * @property {string} does
 */

const SHOWN_CHARS = 60;

/** Options of every command. @type {Record<string, Option>} */
export const EVERYWHERE = {
  help: { type: 'boolean', short: 'h', does: 'print this text and do nothing else' },
  version: { type: 'boolean', short: 'V', does: 'print the version of Errand and do nothing else' },
  'no-install': { type: 'boolean', does: 'install no Debian packages; ERRAND_NO_INSTALL=true does the same' },
};

/**
 * Reads a command line with the table of commands. The caller runs the command or prints the help.
 * @param {Command} root the command whose subcommands are all commands
 * @returns {{ command: Command, path: string[], isHelp: boolean, isVersion?: boolean, options: Record<string, string | true>,
 *   words: string[] }}
 * @throws UsageError for an unknown command or option, a missing value, and too many or too few arguments
 */
export function readCommandLine(root, args) {
  let command = root;
  let rest = args;
  const path = [];
  for (let word = firstWord(command, rest); word; word = firstWord(command, rest)) {
    if (!command.commands) break;
    if (word.value === 'help') return readHelp(root, path, rest.toSpliced(word.index, 1));
    if (!Object.hasOwn(command.commands, word.value)) break;
    command = command.commands[word.value];
    rest = rest.toSpliced(word.index, 1);
    path.push(word.value);
  }
  return readArguments({ command, path }, rest);
}

/** `help tools show` asks for the help of `tools show`. */
function readHelp(root, group, args) {
  const tokens = tokensOf({}, args);
  if (isAsked(args, '--version', '-V')) return versionOf(root);
  readOptions({ command: {}, path: ['help'] }, tokens, args);
  const path = [...group, ...wordsOf(tokens)];
  let command = root;
  for (const [at, word] of path.entries()) {
    if (!command.commands || !Object.hasOwn(command.commands, word))
      throw unknownCommand(path.slice(0, at), word, command);
    command = command.commands[word];
  }
  return { command, path, isHelp: true, options: {}, words: [] };
}

function readArguments({ command, path }, args) {
  const tokens = tokensOf(command, args);
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? args.length;
  const words = wordsOf(tokens);
  // A help option wins over every other argument, and --version over the rest.
  if (command.run || words.length === 0) {
    const before = args.slice(0, end);
    if (isAsked(before, '--help', '-h')) return { command, path, isHelp: true, options: {}, words };
    if (isAsked(before, '--version', '-V')) return versionOf(command);
  }
  const options = readOptions({ command, path }, tokens, args);
  if (!command.run && words.length > 0) throw unknownCommand(path, words[0], command);
  if (!command.run && path.length > 0) throw missingCommand(path, command);
  if (command.run) requireCount({ command, path }, words);
  const isHelp = options.help === true || (!command.run && !options.version);
  return { command, path, isHelp, isVersion: options.version === true, options, words };
}

const isAsked = (args, ...names) => args.some((arg) => names.includes(arg));
const versionOf = (command) => ({ command, path: [], isHelp: false, isVersion: true, options: {}, words: [] });

function readOptions({ command, path }, tokens, args) {
  const known = optionsOf(command);
  const options = {};
  for (const { kind, name, rawName, value, index, inlineValue } of tokens) {
    if (kind !== 'option') continue;
    if (!Object.hasOwn(known, name)) throw unknownOption({ command, path }, args[index]);
    const { type, value: sample } = known[name];
    const fail = (message) => {
      throw new UsageError(titleOf(path), message, howTo(path));
    };
    if (type === 'boolean') {
      if (value !== undefined) fail(`${rawName} takes no value`);
      options[name] = true;
    } else {
      if (Object.hasOwn(options, name)) fail(`${rawName} is given twice`);
      if (value === undefined || (!inlineValue && value.startsWith('-')))
        fail(`${rawName} needs a value: --${name}=${sample}`);
      options[name] = value;
    }
  }
  return options;
}

function requireCount({ command, path }, words) {
  const operands = command.operands?.split(' ') ?? [];
  const needed = operands.filter((operand) => operand.startsWith('<'));
  const most = command.operands?.includes('…') ? Infinity : operands.length;
  const example = command.example ? `, for example: ${lineOf(path)} ${command.example}` : '';
  if (words.length < needed.length)
    throw new UsageError(titleOf(path), `${needed[words.length]} is missing${example}`, howTo(path));
  if (words.length > most)
    throw new UsageError(
      titleOf(path),
      `'${shortened(words[most])}' is one argument too many: the command takes ${command.operands ?? 'none'}`,
      howTo(path),
    );
}

function unknownOption({ command, path }, arg) {
  const written = arg.split('=', 1)[0].replace(/^-+/, '');
  const names = Object.entries(optionsOf(command)).flatMap(([name, { short }]) => [
    [name, `--${name}`],
    ...(short ? [[short, `-${short}`]] : []),
  ]);
  const near = nearestWord(
    written,
    names.map(([name]) => name),
  );
  const meant = near ? `, did you mean '${names.find(([name]) => name === near)[1]}'?` : '';
  const { dashes } = command;
  return new UsageError(
    titleOf(path),
    `there is no option '${shortened(arg)}'${meant}`,
    `${howTo(path)}${dashes ? `; ${dashes}` : ''}`,
  );
}

function unknownCommand(path, word, command) {
  const near = nearestWord(word, Object.keys(command.commands ?? {}));
  const meant = near ? `, did you mean '${[...path, near].join(' ')}'?` : '';
  return new UsageError(
    titleOf(path),
    `there is no command '${[...path, shortened(word)].join(' ')}'${meant}`,
    `\`${lineOf(path)} --help\` lists the commands`,
  );
}

function missingCommand(path, command) {
  const lines = Object.keys(command.commands).map((name) => `\`${lineOf([...path, name])}\``);
  return new UsageError(titleOf(path), `name a command: ${lines.join(', ')}`, howTo(path));
}

/** The hint that names the help of a command. */
export const howTo = (path) => `\`${lineOf(path)} --help\` shows the arguments and options`;
/** Shortens an argument for a message, because it can be a long pasted text. */
const shortened = (text) => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
const lineOf = (path) => ['./errand', ...path].join(' ');
const titleOf = (path) => path.join(' ') || 'errand';

/** The options that a command takes. @returns {Record<string, Option>} */
export const optionsOf = (command) => ({ ...command.options, ...EVERYWHERE });

const tokensOf = (command, args) => {
  const options = Object.fromEntries(
    Object.entries(optionsOf(command)).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
  );
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true }).tokens;
};

/** The first word that is not an option, not the value of an option, and not after `--`. */
function firstWord(command, args) {
  const first = tokensOf(command, args).find(({ kind }) => kind !== 'option');
  return first?.kind === 'positional' ? first : undefined;
}

const wordsOf = (tokens) => tokens.filter(({ kind }) => kind === 'positional').map(({ value }) => value);
