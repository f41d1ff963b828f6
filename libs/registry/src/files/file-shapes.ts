import type { JsonObject, Language, RemoteServer, StoredWorkflow, Tool, ToolExample } from '@errand/contracts';
import type { AgentProfile } from './agent-profile.js';
import type { DeclaredSecurityContext } from '../load/required-capabilities.js';

/** The types that the published schemas (`schemas/<kind>.schema.json`) guarantee, by kind of file. */
export interface FileShapes {
  tool: Declaration & { handler: Handler };
  plugin: PluginManifest;
  workflow: StoredWorkflow;
  agent_profile: AgentProfile;
  mcp: McpFile;
}

/** `mcp.json`: the servers of other tools, by name. */
export interface McpFile {
  mcpServers: Record<string, McpServerEntry>;
}

export interface McpServerEntry extends Omit<RemoteServer, 'name' | 'file'> {
  type?: 'http' | 'streamable-http' | 'stdio';
  disabled?: boolean;
}

/** The declaration of a tool in a file, without its implementation. */
export interface Declaration extends Partial<
  Pick<
    Tool,
    | 'displayName'
    | 'version'
    | 'tags'
    | 'aliases'
    | 'deprecated'
    | 'limits'
    | 'reuse'
    | 'retry'
    | 'runner'
    | 'effects'
    | 'mcp'
  >
> {
  toolId: string;
  description: string;
  securityContext?: DeclaredSecurityContext;
  parameters?: JsonObject;
  output?: JsonObject;
  /** Examples without `arguments` are ignored. */
  examples?: (ToolExample | { description?: string })[];
}

export type Handler =
  | { type: 'external-script'; language: Language; scriptPath: string; entryPoint?: string }
  | { type: 'service-method'; serviceName: string; methodName: string };

/** `implementation` in `plugin.yaml`. The handler of a tool file is converted to this form. */
export type DeclaredImplementation =
  | { type: 'node'; nodeType: string }
  | { type: 'workflow'; workflowId: string }
  | { type: 'service'; serviceName: string; methodName: string }
  | { type: 'script'; language: Language; scriptPath: string; entryPoint?: string; pathFrom?: undefined }
  | { type: 'script'; language: Language; pathFrom: 'argument' }
  | { type: 'external'; timeoutMs?: number };

export interface PluginManifest {
  name: string;
  version: string;
  nodes?: { entry: string };
  tools?: (Omit<Declaration, 'toolId'> & { id: string; implementation: DeclaredImplementation })[];
}
