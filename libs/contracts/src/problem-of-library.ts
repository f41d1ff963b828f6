/** A problem of a file of the library, which may hold tools back: an item of `GET /v1/tools/problems`. */
export interface LibraryProblem {
  /** Its path on the host for the operator, its path inside the library for others. */
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
