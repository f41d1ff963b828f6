import { HintedError } from '../hinted-error.js';
import type { ToolError } from '@errand/contracts';

/** How interpreters, their usual libraries and shell programs say that a name was not resolved or a connection not made. */
const NETWORK_FAILURES = [
  // The system's codes, and its words for them.
  /\b(ENOTFOUND|EAI_\w+|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|DNS_E[A-Z]+)\b/,
  /name or service not known|temporary failure in name resolution|no address associated with hostname|nodename nor servname/i,
  /connection refused|(network|host) is unreachable|no route to host|cannot assign requested address/i,
  // Python: socket, urllib, requests, urllib3, httpx, aiohttp.
  /\b(gaierror|ConnectionRefusedError|NameResolutionError|NewConnectionError|ConnectError|ClientConnector\w*Error)\b/,
  /failed to establish a new connection|all connection attempts failed|cannot connect to host/i,
  // Bun and Node.js.
  /\b(ConnectionRefused|FailedToOpenSocket|DNSException)\b|getaddrinfo|unable to connect|fetch failed|failed to connect/i,
  // curl, wget, git.
  /(could not|couldn't|unable to) resolve (host|proxy)/i,
];
const ADDED = 'this tool has no network access';
const HINT =
  'To give the tool network access, name the hosts in securityContext.networkAccess.allowHosts of the tool and in ERRAND_EGRESS_ALLOW of the script-runner';

/**
 * Adds to the failure of a script without network access that it has none, where that is what it failed with. The error type stays.
 * @param said what the script said of its failure: the uncaught error, the last lines of its log
 */
export function explainNoNetwork(error: ToolError, said: readonly string[]): ToolError {
  const isAboutNetwork = said.some((text) => NETWORK_FAILURES.some((pattern) => pattern.test(text)));
  if (!isAboutNetwork) return error;
  const { type, message, details, cause } = error;
  return new HintedError(type, `${message.trimEnd()}; ${ADDED}`, HINT, { ...(details && { details }), cause });
}
