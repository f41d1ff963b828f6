import type { JsonObject } from '@errand/contracts';

/** The expected tool of a script: parameters, required parameters and other fields. */
export interface DraftCase {
  file: string;
  source: string;
  properties: JsonObject;
  required?: string[];
  more?: JsonObject;
  function?: string;
}
