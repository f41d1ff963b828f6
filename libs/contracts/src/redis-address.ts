import { didYouMean } from './did-you-mean.js';

/** The host and port of one server. */
export interface RedisNode {
  host: string;
  port: number;
}

/** An address of ERRAND_REDIS_URL in parts. User and password are those of the Redis servers, not of the Sentinels. */
export interface RedisAddress {
  /** `plain`: one server. `cluster`: some nodes of a Redis Cluster. `sentinel`: some Sentinels. */
  kind: 'plain' | 'cluster' | 'sentinel';
  nodes: readonly [RedisNode, ...RedisNode[]];
  tls: boolean;
  username?: string;
  password?: string;
  /** The number of the database; always 0 in a Cluster. */
  db: number;
  /** The name under which the Sentinels watch the primary. Only with `sentinel`. */
  master?: string;
  sentinelUsername?: string;
  sentinelPassword?: string;
  /** The version of IP for host names. Only with `plain`. */
  family?: number;
}

/** How each kind is written. */
const FORMS = {
  plain: 'redis://user:password@host:6379/0',
  cluster: 'redis+cluster://user:password@host1:6379,host2:6379',
  sentinel: 'redis+sentinel://user:password@host1:26379,host2:26379/<master>?db=0',
} as const;
const SCHEMES: Readonly<Record<string, { kind: RedisAddress['kind']; tls: boolean }>> = {
  redis: { kind: 'plain', tls: false },
  rediss: { kind: 'plain', tls: true },
  'redis+cluster': { kind: 'cluster', tls: false },
  'rediss+cluster': { kind: 'cluster', tls: true },
  'redis+sentinel': { kind: 'sentinel', tls: false },
  'rediss+sentinel': { kind: 'sentinel', tls: true },
};
const OPTIONS = {
  plain: ['db', 'family'],
  cluster: [],
  sentinel: ['db', 'sentinelUsername', 'sentinelPassword'],
} as const;
const MAX_DB = 1_000_000;

/**
 * Parses an address of ERRAND_REDIS_URL.
 * @throws Error that says what is wrong and how to write it, without user names and passwords
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  const found = Object.hasOwn(SCHEMES, scheme.toLowerCase()) ? SCHEMES[scheme.toLowerCase()] : undefined;
  if (!found) throw wrongScheme(scheme);
  const { kind, tls } = found;
  const fail = (what: string) => new Error(`${what}. Write it as ${withTls(FORMS[kind], tls)}`);
  const [, authority = '', path = '', query = ''] = /^([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/s.exec(rest) ?? [];
  if (authority === '') throw fail('must name a host (write / ? # @ , in a password as %2F %3F %23 %40 %2C)');
  const at = authority.lastIndexOf('@');
  const login = parseLogin(authority.slice(0, Math.max(at, 0)), fail);
  const nodes = parseNodes(authority.slice(at + 1), kind, fail);
  const options = parseOptions(query, kind, fail);
  const [, segment = '', more] = path.split('/');
  if (more !== undefined) throw fail('must have at most one / behind the hosts');
  const named = decode(segment, fail);
  if (kind === 'sentinel' && named === '') throw fail('must name the master that the Sentinels watch');
  const db = parseDb(kind === 'sentinel' || named === '' ? options['db'] : named, fail);
  if (kind === 'cluster' && db !== 0) throw fail('must not name a database: a Redis Cluster has only database 0');
  return {
    kind,
    nodes,
    tls,
    ...login,
    db,
    ...(kind === 'sentinel' && { master: named }),
    ...(options['sentinelUsername'] !== undefined && { sentinelUsername: options['sentinelUsername'] }),
    ...(options['sentinelPassword'] !== undefined && { sentinelPassword: options['sentinelPassword'] }),
    ...(options['family'] !== undefined && { family: parseFamily(options['family'], fail) }),
  };
}

/** The servers of an address for messages, without user and password. */
export function showRedisAddress({ nodes, kind, master }: RedisAddress): string {
  const hosts = nodes.map(showRedisNode).join(',');
  return kind === 'sentinel' ? `${hosts}/${master}` : hosts;
}

/** A server for messages; an IPv6 address is in brackets. */
export function showRedisNode({ host, port }: RedisNode): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

type Fail = (what: string) => Error;

function withTls(form: string, tls: boolean): string {
  return tls ? form.replace(/^redis/, 'rediss') : form;
}

function wrongScheme(scheme: string): Error {
  const near = didYouMean(scheme, Object.keys(SCHEMES));
  const guess = near === undefined ? '' : ` (did you mean ${near}://?)`;
  return new Error(
    `must begin with redis://, redis+cluster:// or redis+sentinel://, or with rediss for TLS${guess}. ` +
      `Write it as ${Object.values(FORMS).join(', ')}`,
  );
}

function parseLogin(text: string, fail: Fail): Pick<RedisAddress, 'username' | 'password'> {
  if (text === '') return {};
  const colon = text.indexOf(':');
  const password = colon < 0 ? '' : decode(text.slice(colon + 1), fail);
  const username = decode(colon < 0 ? text : text.slice(0, colon), fail);
  if (password === '') throw fail('must have a password between the user and the @');
  return { ...(username !== '' && { username }), password };
}

function parseNodes(text: string, kind: RedisAddress['kind'], fail: Fail): RedisAddress['nodes'] {
  const parts = text.split(',');
  if (kind === 'plain' && parts.length > 1)
    throw fail('must name one host; several need redis+cluster:// or redis+sentinel://');
  const [first, ...others] = parts.map((part, n) => parseNode(part, n + 1, kind, fail));
  if (!first) throw fail('must name a host');
  return [first, ...others];
}

/** Messages name a host by its number: a password with an @ or a comma could be taken for a host. */
function parseNode(text: string, number: number, kind: RedisAddress['kind'], fail: Fail): RedisNode {
  const which = kind === 'plain' ? 'the host' : `host ${number}`;
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d+))?$/i.exec(text);
  if (!match) throw fail(`must have a name or an IP address and a port as ${which}`);
  const [, v6, name, digits] = match;
  if (digits === undefined && kind !== 'plain') throw fail(`must have a port at ${which}`);
  const port = Number(digits ?? 6379);
  if (port < 1 || port > 65_535) throw fail(`must have a port from 1 to 65535 at ${which}`);
  return { host: v6 ?? name ?? '', port };
}

function parseOptions(query: string, kind: RedisAddress['kind'], fail: Fail): Record<string, string> {
  const options: Record<string, string> = {};
  for (const part of query.split('&').filter((some) => some !== '')) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const known: readonly string[] = OPTIONS[kind];
    if (!known.includes(name)) throw unknownOption(name, known, kind, fail);
    options[name] = decode(equals < 0 ? '' : part.slice(equals + 1), fail);
  }
  return options;
}

/** An unknown name is shown only if it is near a known one: it could be a part of a password. */
function unknownOption(name: string, known: readonly string[], kind: string, fail: Fail): Error {
  if (known.length === 0) return fail(`must have nothing behind a ?: a ${kind} address has no options`);
  const near = didYouMean(name, known);
  return fail(
    `must have no other options than ${known.join(', ')}${near === undefined ? '' : `, did you mean ${near}?`}`,
  );
}

function parseDb(text: string | undefined, fail: Fail): number {
  if (text === undefined || text === '') return 0;
  const db = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (!(db <= MAX_DB)) throw fail('must have a whole number as its database');
  return db;
}

function parseFamily(text: string, fail: Fail): number {
  if (!['0', '4', '6'].includes(text)) throw fail('must have the family 4 or 6');
  return Number(text);
}

function decode(text: string, fail: Fail): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail('must have two hexadecimal digits behind each % (write a % itself as %25)');
  }
}
