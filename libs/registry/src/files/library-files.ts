import type { AgentProfile } from './agent-profile.js';
import type { FileShapes, PluginManifest } from './file-shapes.js';
import type { LibraryProblem } from './library-problem.js';
import type { SourceFile } from './source-file.js';
import type { NodeType, Problem, RemoteServer, StoredWorkflow } from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';

/** A parsed file of a library, or all files of the code of a plugin. It never changes: an edit creates a new one. */
export interface ParsedFile<Content> {
  /** Its path; for a plugin, the path of its `plugin.yaml`. */
  file: string;
  /** The content; undefined if the file is not valid. */
  content?: Content;
  /**
   * The rest of an invalid file without its faulty fields. It is checked so that all problems are reported at once, and
   * defines nothing.
   */
  partial?: Content;
  /** The problems of the file alone, without those that involve other files. */
  problems: readonly LibraryProblem[];
}

/** The content of a file with the shape of its kind, and its source for the positions of later problems. */
export interface LocatedValue<Shape> {
  value: Shape;
  source: SourceFile;
  /** The library folder. */
  folder: string;
}

/** A plugin with a valid manifest and loaded code. */
export interface Plugin {
  folder: string;
  /** The real path of its library, or its own. No file of the plugin may be outside. */
  root: string;
  source: SourceFile;
  manifest: PluginManifest;
  isBuiltin: boolean;
  /** Whether its files are used without checks. A test checks those of the built-in plugin. */
  isTrusted: boolean;
  /** The namespaces that its tool ids may have. */
  namespaces: readonly string[];
  nodes: NodeType[];
  services: Service[];
  /** False for a partial file whose code could not be loaded. References of its tools to the code are not checked. */
  hasCode: boolean;
}

/** A workflow with its file. */
export interface WorkflowFile {
  /** The id in the library. It differs from `ownId` if another workflow has that id: see `workflowsById`. */
  id: string;
  /** The id in the file: its own `id`, else the file name. */
  ownId: string;
  workflow: StoredWorkflow;
  source: SourceFile;
  /** The problems of a partial file. */
  faults?: readonly Problem[];
  /** The folder of its plugin, which alone uses it. A workflow of a library becomes a tool `workflow:<id>`. */
  plugin?: string;
}

/** The servers of an `mcp.json`, with its source for the positions of later problems. */
export interface ServerFile {
  servers: readonly RemoteServer[];
  source: SourceFile;
}

/** All files of all libraries at one moment, in order of precedence. */
export interface LibraryFiles {
  plugins: readonly ParsedFile<Plugin>[];
  workflows: readonly ParsedFile<WorkflowFile>[];
  tools: readonly ParsedFile<LocatedValue<FileShapes['tool']>>[];
  agents: readonly ParsedFile<LocatedValue<AgentProfile>>[];
  servers: readonly ParsedFile<ServerFile>[];
  /** The problems of the folders. */
  problems: readonly LibraryProblem[];
}
