export interface Place {
  line: number;
  column: number;
}

/** A file of a library, read and parsed. */
export interface SourceFile {
  /** Its path, for people. */
  file: string;
  value: unknown;
  /** Where in the text a JSON Pointer leads; where it leads nowhere, its nearest ancestor. */
  place(pointer: string): Place | undefined;
}
