import { isObject, type Problem } from '@errand/contracts';
import { escapeKey } from '../files/json-pointer.js';
import { RESERVED_NAMESPACES } from '../plugins/open-plugin.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Namespaces of tools that Errand itself makes, in addition to those that no plugin may use. */
const TAKEN = ['agent', 'events', 'session', 'state', 'tools'];

/** The JSON Pointer of a server in its file. */
export function placeOfServer(name: string): string {
  return `/mcpServers/${escapeKey(name)}`;
}

/** The problems of a server that the schema of the file cannot explain well. */
export function faultsOfServer(name: string, entry: unknown): Problem[] {
  if (!isObject(entry)) return [];
  return [
    ...faultsOfName(name),
    ...faultsOfTarget(name, entry),
    ...faultsOfUrl(name, entry.url),
    ...faultsOfMisplaced(name, entry),
  ];
}

function faultsOfName(name: string): Problem[] {
  const path = placeOfServer(name);
  if (!NAME.test(name))
    return [{ path, message: `The name of a server has 1 to 64 letters, digits, '_' or '-': rename ${JSON.stringify(name)}` }]; // prettier-ignore
  const isReserved = RESERVED_NAMESPACES.includes(name) || TAKEN.includes(name);
  return isReserved ? [{ path, message: `The name '${name}' is reserved; choose another` }] : [];
}

function faultsOfTarget(name: string, { url, command }: Record<string, unknown>): Problem[] {
  if ((url === undefined) !== (command === undefined)) return [];
  const what = url === undefined ? 'needs a url or a command' : 'has both a url and a command; remove one of them';
  return [{ path: placeOfServer(name), message: `The server '${name}' ${what}` }];
}

function faultsOfUrl(name: string, text: unknown): Problem[] {
  if (typeof text !== 'string') return [];
  const path = `${placeOfServer(name)}/url`;
  if (text.includes('${')) return [{ path, message: 'A secret can only stand in headers or env, not in an address' }];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return [{ path, message: `The server '${name}' needs an address such as https://mcp.example.com/mcp` }];
  if (url.username === '' && url.password === '') return [];
  return [{ path, message: `The address of '${name}' has a user name or password; use a header instead` }];
}

/** Fields that have no effect beside the others. */
function faultsOfMisplaced(name: string, entry: Record<string, unknown>): Problem[] {
  const { url, command, type } = entry;
  if ((url === undefined) === (command === undefined)) return [];
  const isCommand = command !== undefined;
  const wrong = (isCommand ? ['headers'] : ['args', 'env']).filter((field) => entry[field] !== undefined);
  const kind = isCommand ? 'a command' : 'a url';
  const problems = wrong.map((field) => ({
    path: `${placeOfServer(name)}/${field}`,
    message: `'${field}' has no effect for a server with ${kind}`,
  }));
  const isOtherType = typeof type === 'string' && (type === 'stdio') !== isCommand;
  const message = `The type '${String(type)}' does not go with ${kind}`;
  return isOtherType ? [...problems, { path: `${placeOfServer(name)}/type`, message }] : problems;
}
