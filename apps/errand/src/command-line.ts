/** The arguments of one command, read and checked by bootstrap/command-line.mjs. */
export interface CommandLine<Options = object, Words = string[]> {
  /** The options by their long names. An absent boolean option is undefined. */
  options: Options;
  /** The operands. The table of commands limits their number. */
  words: Words;
}
