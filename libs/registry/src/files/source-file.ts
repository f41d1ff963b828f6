import type { LibraryProblem } from './library-problem.js';

export interface FilePosition {
  line: number;
  column: number;
}

/** A file of a library, read and parsed. */
export interface SourceFile {
  /** The path, for messages. */
  file: string;
  value: unknown;
  /** The problems of a text that can be parsed, such as a duplicate key. */
  problems: readonly LibraryProblem[];
  /** The position of a JSON Pointer, or of its nearest ancestor. */
  positionOf(pointer: string): FilePosition | undefined;
}
