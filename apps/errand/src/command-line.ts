/** The arguments of one command, as bootstrap/command-line.mjs has read and checked them. */
export interface CommandLine<Options = object, Words = string[]> {
  /** By their long names; a boolean option that is absent is undefined. */
  options: Options;
  /** As many as the table of commands allows. */
  words: Words;
}
