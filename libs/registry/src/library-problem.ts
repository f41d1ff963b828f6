import type { Problem } from '@errand/contracts';
import { nameOfPath } from './json-pointer.js';
import type { SourceFile } from './source-file.js';

/** What is wrong with a file of a library. `line` and `column` are 1-based. The file, or the part that it concerns, was left out. */
export interface LibraryProblem {
  file: string;
  line?: number;
  column?: number;
  /** The place inside the file, as `parameters.properties.top`. */
  field?: string;
  message: string;
  suggestion?: string;
}

/** Where problems go while a library is loaded. */
export type Report = (problem: LibraryProblem) => void;

/** A problem at a JSON Pointer of a file, with its line and column. */
export function placeProblem(source: SourceFile, { path, message, suggestion }: Problem): LibraryProblem {
  return {
    file: source.file,
    ...source.place(path),
    ...(path !== '' && { field: nameOfPath(path) }),
    message,
    ...(suggestion !== undefined && { suggestion }),
  };
}
