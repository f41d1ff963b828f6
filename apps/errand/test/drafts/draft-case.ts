import type { JsonObject } from '@errand/contracts';

/** What is expected of a script: its parameters, those that are required, and what else of the tool matters. */
export interface DraftCase {
  file: string;
  source: string;
  properties: JsonObject;
  required?: string[];
  more?: JsonObject;
  function?: string;
}
