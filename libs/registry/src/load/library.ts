import type { NodeType, RemoteServer, StoredWorkflow, Tool } from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';
import type { AgentProfile } from '../files/agent-profile.js';
import type { LibraryProblem } from '../files/library-problem.js';
import type { ScriptFolder } from './locate-script.js';

/** A loaded library at one moment. It never changes: an edit of a file creates a new one. */
export interface Library {
  /** The versions of each tool by id, newest first. */
  tools: ReadonlyMap<string, readonly Tool[]>;
  nodeTypes: ReadonlyMap<string, NodeType>;
  services: ReadonlyMap<string, Service>;
  /** The workflows that can run, by id. */
  workflows: ReadonlyMap<string, StoredWorkflow>;
  agents: ReadonlyMap<string, AgentProfile>;
  /** The path of the file of each agent, by its id. */
  agentFiles: ReadonlyMap<string, string>;
  /** The deliberation workflow of each agent that has a tool, by the id of the agent. */
  deliberations: ReadonlyMap<string, string>;
  /** The servers of `mcp.json` files, by name. */
  servers: ReadonlyMap<string, RemoteServer>;
  problems: readonly LibraryProblem[];
  /** The folder `scripts` of each tool with a script. */
  scriptFolders: ReadonlyMap<Tool, ScriptFolder>;
  /** The folders of scripts that callers may name themselves. */
  callerScriptFolders: readonly ScriptFolder[];
}
