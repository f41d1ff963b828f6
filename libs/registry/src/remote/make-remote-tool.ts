import { createHash } from 'node:crypto';
import {
  canonicalJson,
  isDeeperThan,
  MAX_DEPTH,
  type JsonSchema,
  type RemoteServer,
  type RemoteTool,
  type Tool,
} from '@errand/contracts';
import { nameOfPath } from '../files/json-pointer.js';
import { matchesGlob } from '../resolve/matches-glob.js';
import { faultsOfSchema } from '../schema/compile-schema.js';
import { faultsOfOutput } from '../validate/validate-output.js';
import { escapeSchema, unsafeName } from './escape-schema.js';

/** What makes a tool besides its listing. */
export interface RemoteOrigin {
  server: RemoteServer;
  /** The name of the `mcp.json` in its library. */
  source: string;
  aliasOf: (toolId: string) => string;
  /** Shows control characters and markers of blocks escaped. */
  escapeText: (text: string) => string;
}

const VERSION = '1.0.0';
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/;
const MAX_ID = 128;
const MAX_DESCRIPTION = 8_192;
const MAX_TITLE = 200;

const made = new WeakMap<RemoteTool, { key: string; made: Tool | string }>();

/**
 * Makes the tool of a listing, or returns why it is left out. The words of the server are escaped; the schemas are
 * otherwise as listed. The same listing gives the same tool.
 */
export function makeRemoteToolOnce(listed: RemoteTool, origin: RemoteOrigin): Tool | string {
  const { name, tags, effects } = origin.server;
  const key = JSON.stringify([name, tags, effects, origin.source]);
  const known = made.get(listed);
  if (known?.key === key) return known.made;
  const fresh = makeRemoteTool(listed, origin);
  made.set(listed, { key, made: fresh });
  return fresh;
}

function makeRemoteTool(listed: RemoteTool, origin: RemoteOrigin): Tool | string {
  const { server, source, aliasOf, escapeText } = origin;
  const toolId = `${server.name}:${listed.name}`;
  if (!NAME.test(listed.name) || toolId.length > MAX_ID) return `its name cannot be a tool id of at most ${MAX_ID} letters, digits and _ . / -`; // prettier-ignore
  const schemas = schemasOf(listed, escapeText);
  if (typeof schemas === 'string') return schemas;
  const alias = aliasOf(toolId);
  const definition = {
    toolId,
    version: VERSION,
    displayName: cut(escapeText(listed.title ?? listed.name), MAX_TITLE),
    description: cut(escapeText(listed.description ?? ''), MAX_DESCRIPTION),
    kind: 'mcp' as const,
    ...schemas,
    tags: server.tags ?? [],
    ...(alias !== toolId && { aliases: [alias] }),
    implementation: { type: 'mcp' as const, server: server.name, tool: listed.name },
    effects: effectsOf(listed, server),
    source,
  };
  return { ...definition, digest: createHash('sha256').update(canonicalJson(definition)).digest('hex') };
}

function schemasOf(
  { inputSchema, outputSchema }: RemoteTool,
  escapeText: (text: string) => string,
): Pick<Tool, 'parameters' | 'output'> | string {
  for (const schema of [inputSchema, outputSchema ?? {}]) {
    if (isDeeperThan(schema)) return `its schema nests deeper than ${MAX_DEPTH} levels`;
    const unsafe = unsafeName(schema, escapeText);
    if (unsafe !== undefined) return `its schema has the text ${JSON.stringify(unsafe)}, which could be read as a call`;
  }
  const { $schema: _dialect, ...rest } = escapeSchema(inputSchema, escapeText);
  const parameters: JsonSchema = { ...rest, type: rest.type ?? 'object' };
  if (parameters.type !== 'object') return `the type of its inputSchema is not 'object'`;
  const output = outputSchema && escapeSchema(outputSchema, escapeText);
  const [fault] = [...faultsOfSchema(parameters), ...(output ? faultsOfOutput(output) : [])];
  if (fault)
    return `its schema cannot be used: ${nameOfPath(fault.path) || 'it'} ${cut(escapeText(fault.message), 300)}`;
  return { parameters, ...(output && { output }) };
}

/** What `effects` of the entry says, else the hints of the server. Without a hint, a second run could do harm. */
function effectsOf({ name, readOnly, idempotent }: RemoteTool, { effects = {} }: RemoteServer): Tool['effects'] {
  const said = Object.entries(effects).find(([glob]) => matchesGlob(name, glob));
  if (said) return said[1];
  return readOnly ? 'none' : idempotent ? 'idempotent' : 'once';
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
