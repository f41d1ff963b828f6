import type { AgentProfile, FileShapes, PluginManifest } from './file-shapes.js';
import type { LibraryProblem } from './library-problem.js';
import type { SourceFile } from './source-file.js';
import type { NodeType, Problem, StoredWorkflow } from '@errand/contracts';
import type { Service } from '../plugins/call-service.js';

/** One file of a library as it was read, or all files of a plugin's code. It never changes: an edit makes a new one. */
export interface ParsedFile<Content> {
  /** Its path; of a plugin, that of its `plugin.yaml`. */
  file: string;
  /** Absent where the file cannot be used. */
  content?: Content;
  /** What of a file that cannot be used is checked all the same, so that all its problems are told at once. It defines nothing. */
  partial?: Content;
  /** What is wrong with the file taken for itself. */
  problems: readonly LibraryProblem[];
}

/** The content of a file that has the shape of its kind, with its source for the places of what is found wrong later. */
export interface LocatedValue<Shape> {
  value: Shape;
  source: SourceFile;
  /** The library folder. */
  folder: string;
}

/** A plugin whose manifest is sound and whose code is loaded. */
export interface Plugin {
  folder: string;
  /** The real path of the library that it belongs to, or its own; nothing in it may leave that folder. */
  root: string;
  source: SourceFile;
  manifest: PluginManifest;
  isBuiltin: boolean;
  /** What its tool ids may begin with. */
  namespaces: readonly string[];
  nodes: NodeType[];
  services: Service[];
  /** False for a draft whose code could not be loaded: what its tools name of it is not checked. */
  hasCode: boolean;
}

/** A workflow with the file that it stands in. */
export interface WorkflowFile {
  /** That of the file, unless another bears it already: see `workflowsById`. */
  id: string;
  /** The id that the file gives it: its own `id`, else its name. */
  ownId: string;
  workflow: StoredWorkflow;
  source: SourceFile;
  /** What was wrong with the file of a draft. */
  faults?: readonly Problem[];
  /** The folder of the plugin that it belongs to, whose own affair it is. That of a library is a tool `workflow:<id>`. */
  plugin?: string;
}

/** All files of all libraries at one moment, in the order in which they count. */
export interface LibraryFiles {
  plugins: readonly ParsedFile<Plugin>[];
  workflows: readonly ParsedFile<WorkflowFile>[];
  tools: readonly ParsedFile<LocatedValue<FileShapes['tool']>>[];
  agents: readonly ParsedFile<LocatedValue<AgentProfile>>[];
  /** What is wrong with the folders. */
  problems: readonly LibraryProblem[];
}
