import { KnownError } from '@errand/contracts';
/** The arguments of one command, read and checked by bootstrap/command-line.mjs. */
export interface CommandLine<Options = object, Words = string[]> {
  /** The options by their long names. An absent boolean option is undefined. */
  options: Options;
  /** The operands. The table of commands limits their number. */
  words: Words;
}

/** An invalid value on the command line. The exit code is 2. */
export class UsageError extends KnownError {
  readonly exitCode = 2;
}
