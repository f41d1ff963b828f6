import type { Definition } from '@errand/contracts';

/** A definition and its digest: SHA-256 of its canonical JSON, in hex. */
export interface DefinedTool {
  digest: string;
  definition: Definition;
  /** For an agent: the definitions of the tools that its turns may call. */
  inventory?: readonly DefinedTool[];
}
