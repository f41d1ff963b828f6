import type { LibraryProblem } from './library-problem.js';

export interface TextPosition {
  line: number;
  column: number;
}

/** A file of a library, read and parsed. */
export interface SourceFile {
  /** Its path, for people. */
  file: string;
  value: unknown;
  /** What is wrong with the text although it can be read, as a key that stands twice. */
  problems: readonly LibraryProblem[];
  /** Where in the text a JSON Pointer leads; where it leads nowhere, its nearest ancestor. */
  place(pointer: string): TextPosition | undefined;
}
