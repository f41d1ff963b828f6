import type { RemoteList, RemoteServer, Tool } from '@errand/contracts';
import type { LibraryProblem, ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import type { SourceFile } from '../files/source-file.js';
import { matchesGlob } from '../resolve/matches-glob.js';
import { placeOfServer } from './faults-of-servers.js';
import { makeRemoteToolOnce, type RemoteOrigin } from './make-remote-tool.js';
import type { ServerFile } from '../files/library-files.js';

/** A server and its file. */
export interface LocatedServer {
  server: RemoteServer;
  source: SourceFile;
}

/** More problems of one server do not help the operator. */
const MAX_SHOWN = 10;

/** The servers by name. The first definition of a name counts, and no server has the name of a plugin. */
export function serversByName(
  files: readonly ServerFile[],
  pluginNames: ReadonlySet<string>,
  report: ReportProblem,
): Map<string, LocatedServer> {
  const known = new Map<string, LocatedServer>();
  for (const { servers, source } of files) {
    for (const server of servers) {
      const { name } = server;
      const path = placeOfServer(name);
      const first = known.get(name);
      const owner = first ? `a server in ${first.source.file}` : pluginNames.has(name) ? 'a plugin' : undefined;
      const message = `The name '${name}' belongs to ${owner} already; choose another`;
      if (owner !== undefined) report(locateProblem(source, { path, message }));
      else known.set(name, { server, source });
    }
  }
  return known;
}

interface RemoteParts extends Omit<RemoteOrigin, 'server' | 'source'> {
  listOf: (server: RemoteServer) => RemoteList | undefined;
  nameOf: (file: string) => string;
}

/**
 * Makes the tools that the servers list. A tool whose id is taken is left out: a server cannot replace a tool of the
 * library.
 * @param tools the tools of the files, by id
 */
export function addRemoteTools(
  servers: Iterable<LocatedServer>,
  tools: ReadonlyMap<string, readonly Tool[]>,
  { listOf, nameOf, ...words }: RemoteParts,
  report: ReportProblem,
): Map<string, readonly Tool[]> {
  const all = new Map(tools);
  for (const { server, source } of servers) {
    const list = listOf(server);
    const problems = new ServerProblems({ server, source }, report);
    if (list?.away) problems.add(`The server '${server.name}' is away: ${list.away.reason}`, list.away.since);
    for (const part of list?.leftOut ?? []) problems.add(`The server '${server.name}' ${part}`);
    const origin = { ...words, server, source: nameOf(source.file) };
    for (const listed of list?.tools ?? []) {
      if (server.tools && !server.tools.some((glob) => matchesGlob(listed.name, glob))) continue;
      const made = makeRemoteToolOnce(listed, origin);
      const fault = typeof made === 'string' ? made : takenBy(all, made);
      if (fault !== undefined) problems.add(leftOut(server, listed.name, fault));
      else if (typeof made !== 'string') all.set(made.toolId, [made]);
    }
    problems.end();
  }
  return all;
}

function takenBy(tools: ReadonlyMap<string, readonly Tool[]>, { toolId }: Tool): string | undefined {
  const other = tools.get(toolId)?.[0];
  if (!other) return undefined;
  return other.kind === 'mcp' ? 'the server lists two tools of this name' : `${other.source} defines this id`;
}

function leftOut({ name }: RemoteServer, tool: string, fault: string): string {
  return `The tool ${JSON.stringify(tool.slice(0, 100))} of the server '${name}' is left out: ${fault}`;
}

/** Reports the first problems of a server, and the number of the others. */
class ServerProblems {
  private count = 0;

  constructor(
    private readonly at: LocatedServer,
    private readonly report: ReportProblem,
  ) {}

  add(message: string, since?: string): void {
    this.count += 1;
    if (this.count <= MAX_SHOWN) this.tell(message, since);
  }

  end(): void {
    const more = this.count - MAX_SHOWN;
    if (more > 0) this.tell(`The server '${this.at.server.name}' has ${more} more problems`);
  }

  private tell(message: string, since?: string): void {
    const { server, source } = this.at;
    const { file, line, column } = locateProblem(source, { path: placeOfServer(server.name), message: '' });
    const place: LibraryProblem = { file, ...(line !== undefined && { line }), ...(column !== undefined && { column }), message }; // prettier-ignore
    this.report({ ...place, server: server.name, ...(since !== undefined && { since }) });
  }
}
