import type { RemoteServer } from '@errand/contracts';
import type { Mask, RemoteOptions } from './remote-options.js';

/** A server with the values of its secrets. It never leaves this package. */
export interface OpenedServer extends RemoteServer {
  mask: Mask;
}

const REFERENCE = /\$\{([^{}]*)\}/g;
/** Shorter literal values of headers and env are probably no secrets, and hiding them would change results. */
const MIN_LITERAL = 12;

/**
 * Puts the secrets of the operator into headers and env.
 * @throws ToolError SecurityError that names the server and the secret
 */
export async function expandSecrets(
  server: RemoteServer,
  { readSecrets, maskSecrets }: Pick<RemoteOptions, 'readSecrets' | 'maskSecrets'>,
): Promise<OpenedServer> {
  const { headers = {}, env = {} } = server;
  const values = [...Object.values(headers), ...Object.values(env)];
  const names = new Set(values.flatMap((value) => [...value.matchAll(REFERENCE)].map(([, name = '']) => name)));
  const secrets = names.size === 0 ? {} : await readSecrets(server.name, [...names]);
  const expand = (held: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(held).map(([key, value]) => [
        key,
        value.replace(REFERENCE, (_whole, name: string) => secrets[name] ?? ''),
      ]),
    );
  const mask = maskSecrets({ ...literalsOf({ ...headers, ...env }), ...queryOf(server.url), ...secrets });
  return {
    ...server,
    ...(server.headers && { headers: expand(headers) }),
    ...(server.env && { env: expand(env) }),
    mask,
  };
}

/** The words of literal values that can be secrets, such as the second one of `Bearer abc…`. */
function literalsOf(held: Readonly<Record<string, string>>): Record<string, string> {
  const words = Object.entries(held).flatMap(([key, value]) =>
    value
      .split(/\s+/)
      .filter((word) => word.length >= MIN_LITERAL && !word.includes('${'))
      .map((word, index) => [index === 0 ? key : `${key} ${index}`, word]),
  );
  return Object.fromEntries(words) as Record<string, string>;
}

function queryOf(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  const values = [...new URL(url).searchParams].filter(([, value]) => value.length >= MIN_LITERAL);
  return Object.fromEntries(values);
}
