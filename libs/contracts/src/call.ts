import type { JsonObject } from './json.js';

/** One tool id with arguments, before Errand accepts it. Until it is resolved, `toolId` may be an alias or have a version range. */
export interface Call {
  toolId: string;
  arguments: JsonObject;
}

/** A call that the registry has resolved: the exact tool, by version and digest. */
export interface ResolvedCall extends Call {
  version: string;
  digest: string;
}
