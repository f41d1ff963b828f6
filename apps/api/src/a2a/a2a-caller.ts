import type { RequestScope } from '../http/request-scope.js';
import type { OnDisconnect } from '../stream/patience.js';

export type A2aVersion = '1.0' | '0.3';

/** The client of one request, and the agent that it calls. */
export interface A2aCaller {
  agent: string;
  scope: RequestScope;
  version: A2aVersion;
  /** The address under which the client reaches this server, without a slash at its end. */
  base: string;
  onDisconnect: OnDisconnect;
}

/** The tool that runs a turn of the agent. */
export function toolOf({ agent }: Pick<A2aCaller, 'agent'>): string {
  return `agent:${agent}`;
}
