import { isDeeperThan, isObject, MAX_DEPTH, type RemoteServer } from '@errand/contracts';
import { faultsOfShape } from '../files/check-file.js';
import type { McpFile, McpServerEntry } from '../files/file-shapes.js';
import { keysOf } from '../files/json-pointer.js';
import type { ServerFile } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import type { SourceFile } from '../files/source-file.js';
import { faultsOfServer } from './faults-of-servers.js';

/**
 * Reads the servers of an `mcp.json`. A server with a problem is reported and left out; the others stay. A disabled
 * server is checked and left out. No message shows a value that can be a secret.
 */
export function readServers(
  given: SourceFile,
  report: ReportProblem,
): { content: ServerFile; isValid: boolean } | undefined {
  if (isDeeperThan(given.value)) {
    report({ file: given.file, message: `The file nests deeper than ${MAX_DEPTH} levels` });
    return undefined;
  }
  const source = { ...given, value: withoutSecrets(given.value) };
  const entries = entriesOf(given.value);
  const faults = [
    ...faultsOfShape('mcp', given.value),
    ...(entries ?? []).flatMap(([name, entry]) => faultsOfServer(name, entry)),
  ];
  for (const fault of faults) report(locateProblem(source, fault));
  if (!entries) return undefined;
  const faulty = new Set(faults.map(({ path }) => keysOf(path)[1]));
  const servers = entries
    .filter(([name, entry]) => !faulty.has(name) && entry.disabled !== true)
    .map(([name, entry]) => serverOf(name, entry, given.file));
  return { content: { servers, source }, isValid: true };
}

function entriesOf(value: unknown): [name: string, entry: McpServerEntry][] | undefined {
  const servers = isObject(value) ? value.mcpServers : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry of another shape has a fault and is left out
  return isObject(servers) ? Object.entries(servers as McpFile['mcpServers']) : undefined;
}

function serverOf(
  name: string,
  { url, headers, command, args, env, tools, timeoutMs, effects, tags }: McpServerEntry,
  file: string,
): RemoteServer {
  const fields = { url, headers, command, args, env, tools, timeoutMs, effects, tags };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(given) as Partial<RemoteServer>), name, file };
}

/** The fields whose values messages may show. */
const SHOWN = ['type', 'disabled', 'tools', 'timeoutMs', 'effects', 'tags'];
const HIDDEN = '…';

function withoutSecrets(value: unknown): unknown {
  if (!isObject(value) || !isObject(value.mcpServers)) return hidden(value);
  const servers = Object.entries(value.mcpServers).map(([name, entry]) => [
    name,
    isObject(entry)
      ? Object.fromEntries(
          Object.entries(entry).map(([field, held]) => [field, SHOWN.includes(field) ? held : hidden(held)]),
        )
      : hidden(entry),
  ]);
  return { ...(hidden(value) as object), mcpServers: Object.fromEntries(servers) as unknown };
}

/** The value with each of its leaves replaced. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (!isObject(value)) return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hidden(item)]));
}
