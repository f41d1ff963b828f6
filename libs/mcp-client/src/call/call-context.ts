import type { PriorDiscovery } from '../connect/sdk.js';
import type { CallListener } from './call-reports.js';

/** What an exchange with a server needs besides its request. */
export interface CallContext {
  signal: AbortSignal;
  listener: CallListener;
  prior?: PriorDiscovery | undefined;
  /** Receives what a later connection can start from. */
  onConnected?: (discovery: PriorDiscovery) => void;
}
