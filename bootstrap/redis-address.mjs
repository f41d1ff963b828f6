const FORMS = 'redis://host:6379, redis+cluster://host1:6379,host2:6379 or redis+sentinel://host1:26379/<master>';

/**
 * Reads an address of ERRAND_REDIS_URL without an npm package. The processes check it completely when they start.
 * @returns {{ kind: 'plain' | 'cluster' | 'sentinel', servers: object[], master: string, sentinel: object }} `servers` with host, port, tls,
 *   username and password; `sentinel`: user and password of the Sentinels
 * @throws Error that says how to write it, without a password
 */
export function readRedisAddress(text) {
  const [, tls, kind = 'plain', authority, path = '', query = ''] =
    /^redis(s?)(?:\+(cluster|sentinel))?:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?(.*))?$/i.exec(text) ?? [];
  const at = authority?.lastIndexOf('@') ?? -1;
  const servers =
    authority
      ?.slice(at + 1)
      .split(',')
      .map(readServer) ?? [];
  const isWrong = servers.length === 0 || servers.includes(undefined) || (kind === 'plain' && servers.length > 1);
  if (isWrong || (kind === 'sentinel' && path === '')) throw new Error(`must be an address such as ${FORMS}`);
  const options = new URLSearchParams(query);
  const [username, ...password] = at < 0 ? [''] : authority.slice(0, at).split(':');
  const login = loginOf(decodeURIComponent(username), decodeURIComponent(password.join(':')));
  const isTls = tls !== '';
  return {
    kind: kind.toLowerCase(),
    servers: servers.map((server) => ({ ...server, tls: isTls, ...login })),
    master: decodeURIComponent(path),
    sentinel: { tls: isTls, ...loginOf(options.get('sentinelUsername'), options.get('sentinelPassword')) },
  };
}

function loginOf(username, password) {
  return { username: username || 'default', password: password ?? '' };
}

function readServer(text) {
  const [, v6, name, port = '6379'] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d+))?$/i.exec(text) ?? [];
  const host = v6 ?? name;
  return host === undefined ? undefined : { host, port: Number(port) };
}
