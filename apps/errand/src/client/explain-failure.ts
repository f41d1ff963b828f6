import { UnreachableError } from './client-errors.js';

/** Error codes of Node.js, OpenSSL and undici, with what a person can do. */
const REASONS: readonly { codes: RegExp; reason: string; fix: string }[] = [
  {
    codes: /^ECONNREFUSED$/,
    reason: 'nothing listens at this host and port',
    fix: 'check the port, and whether Errand runs there',
  },
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, reason: 'the name of the host is unknown', fix: 'check the name and the DNS' },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    reason: 'the host cannot be reached',
    fix: 'check the network',
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|ETIMEDOUT|TimeoutError)$/,
    reason: 'no response came in time',
    fix: 'check the address and the network; --timeout sets how long to wait',
  },
  {
    codes: /^(EPROTO|ERR_SSL_.*)$/,
    reason: 'the server does not speak TLS as expected',
    fix: 'use http:// if the port has no TLS',
  },
  {
    codes: /CERT|^ERR_TLS_/,
    reason: 'the certificate of the server cannot be trusted',
    fix: 'check the name of the host; NODE_EXTRA_CA_CERTS names the file of an own certificate authority',
  },
  {
    codes: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_.*)$/,
    reason: 'the server closed the connection or does not speak HTTP',
    fix: 'use https:// if the port expects TLS; otherwise try again',
  },
];
/** Ports of other protocols, which `fetch` refuses. The error has a message only. */
const FORBIDDEN_PORT = { reason: 'HTTP clients refuse this port', fix: 'let Errand listen on another port' };
const UNKNOWN = { reason: 'the request failed', fix: 'check the address' };

/** Explains why no response came from `url`, with the reason from the network. */
export function explainFailure(url: string, error: unknown): UnreachableError {
  const causes = causesOf(error);
  const codes = causes.map(({ code, name }) => (typeof code === 'string' ? code : name));
  const found = REASONS.find((one) => codes.some((code) => one.codes.test(code)));
  const other = causes.at(-1)?.message === 'bad port' ? FORBIDDEN_PORT : UNKNOWN;
  const { reason, fix } = found ?? other;
  // The messages of OpenSSL are long, and their codes say the same.
  const shown = found ? codes.findLast((code) => found.codes.test(code)) : causes.at(-1)?.message.split('\n', 1)[0];
  return new UnreachableError(`No Errand answers at ${url}: ${reason} (${shown})`, fix, { cause: error });
}

/** The chain of causes, the deepest last. The error for a host with several addresses holds one error for each. */
function causesOf(error: unknown): (Error & { code?: unknown })[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 10; at = nextOf(at)) chain.push(at);
  return chain;
}

const nextOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);
