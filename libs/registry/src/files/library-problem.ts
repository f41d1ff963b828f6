/** A problem of a file of a library. `line` and `column` are 1-based. The file, or the affected part, was left out. */
export interface LibraryProblem {
  file: string;
  line?: number;
  column?: number;
  /** The field inside the file, such as `parameters.properties.top`. */
  field?: string;
  message: string;
  suggestion?: string;
  /** For a problem of a server of `mcp.json` itself, not of the file: its name. */
  server?: string;
  /** The time since which that server is away (ISO 8601). */
  since?: string;
}

/** Receives the problems of a library while it is loaded. */
export type ReportProblem = (problem: LibraryProblem) => void;
