import type { JsonObject, Language, StoredWorkflow, Tool, ToolExample } from '@errand/contracts';
import type { DeclaredSecurityContext } from '../load/required-capabilities.js';

/** What the published schemas (`schemas/<kind>.schema.json`) vouch for, by kind of file. */
export interface FileShapes {
  tool: Declaration & { handler: Handler };
  plugin: PluginManifest;
  workflow: StoredWorkflow;
  agent_profile: AgentProfile;
}

/** What a file says of a tool beside what runs it. */
export interface Declaration extends Partial<
  Pick<
    Tool,
    'displayName' | 'version' | 'tags' | 'aliases' | 'deprecated' | 'limits' | 'reuse' | 'retry' | 'runner' | 'effects'
  >
> {
  toolId: string;
  description: string;
  securityContext?: DeclaredSecurityContext;
  parameters?: JsonObject;
  output?: JsonObject;
  /** Those without `arguments` are no calls and say nothing here. */
  examples?: (ToolExample | { description?: string })[];
}

export type Handler =
  | { type: 'external-script'; language: Language; scriptPath: string; entryPoint?: string }
  | { type: 'service-method'; serviceName: string; methodName: string };

/** `implementation` in `plugin.yaml`; the handler of a tool file is brought into this form. */
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

/** What an agent may use. */
export interface AgentProfile {
  id: string;
  displayName?: string;
  /** Tool ids; `*` stands for any characters. */
  tool_ids_inventory: string[];
  core_deliberation_workflow_id?: string;
  limits?: JsonObject;
}
