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
export type ReportProblem = (problem: LibraryProblem) => void;
