import type { NodeType, StoredWorkflow, Tool } from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';
import type { AgentProfile } from '../files/file-shapes.js';
import type { LibraryProblem } from '../files/library-problem.js';
import type { ScriptFolder } from './locate-script.js';

/** All that was loaded, at one moment. It never changes; an edit of a file makes a new one. */
export interface Library {
  /** By id; the versions of each tool, newest first. */
  tools: ReadonlyMap<string, readonly Tool[]>;
  nodeTypes: ReadonlyMap<string, NodeType>;
  services: ReadonlyMap<string, Service>;
  /** Those that can run, by id. */
  workflows: ReadonlyMap<string, StoredWorkflow>;
  agents: ReadonlyMap<string, AgentProfile>;
  problems: readonly LibraryProblem[];
  /** The folder `scripts` that the script of a tool lies in. */
  scriptFolders: ReadonlyMap<Tool, ScriptFolder>;
  /** Where the scripts lie that callers may name themselves. */
  callerScriptFolders: readonly ScriptFolder[];
}
