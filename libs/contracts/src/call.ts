import type { JsonObject } from './json.js';

/** One tool id with arguments, before it is accepted. `toolId` may be an alias or carry a version range until it is resolved. */
export interface Call {
  toolId: string;
  arguments: JsonObject;
}

/** A call that the registry has resolved: the exact tool, by version and digest. */
export interface ResolvedCall extends Call {
  version: string;
  digest: string;
}
