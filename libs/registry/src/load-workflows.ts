import { basename } from 'node:path';
import type { NodeType, StoredWorkflow, WorkflowCheck } from '@errand/contracts';
import { checkFile } from './check-file.js';
import { findFiles } from './find-files.js';
import { placeProblem, type Report } from './library-problem.js';
import { readSource } from './read-source.js';
import type { SourceFile } from './source-file.js';

/** A workflow with the file that it stands in. */
export interface WorkflowFile {
  id: string;
  workflow: StoredWorkflow;
  source: SourceFile;
  /** Whether it is a tool `workflow:<id>`; those of a plugin are the plugin's own affair. */
  isTool: boolean;
}

/** Reads the workflows below a folder. The id is the file's own `id`, else its name. The second of two with one id is refused. */
export async function readWorkflows(
  folder: string,
  isTool: boolean,
  known: Map<string, WorkflowFile>,
  report: Report,
): Promise<void> {
  for (const file of await findFiles(folder, '.json')) {
    const source = await readSource(file, report);
    const stored = source && checkFile(source, 'workflow', report);
    if (!stored) continue;
    const id = stored.id ?? basename(file, '.json');
    const first = known.get(id);
    if (first)
      report(
        placeProblem(source, {
          path: '/id',
          message: `The workflow '${id}' is defined in ${first.source.file} already`,
        }),
      );
    else
      known.set(id, {
        id,
        workflow: { ...stored, id },
        source,
        isTool,
      });
  }
}

/** Those workflows that can run. What is wrong with the others is reported; who contains one that cannot run, cannot either. */
export function soundWorkflows(
  files: ReadonlyMap<string, WorkflowFile>,
  nodeTypes: ReadonlyMap<string, NodeType>,
  checkWorkflow: WorkflowCheck,
  report: Report,
): Map<string, WorkflowFile> {
  const lookups = { nodeTypes, workflows: new Map([...files].map(([id, { workflow }]) => [id, workflow])) };
  const sound = new Map(files);
  for (const [id, { workflow, source }] of files) {
    const problems = checkWorkflow(workflow, lookups);
    for (const problem of problems) report(placeProblem(source, problem));
    if (problems.length > 0) sound.delete(id);
  }
  let size: number;
  do {
    size = sound.size;
    for (const file of sound.values()) dropIfBroken(file, sound, report);
  } while (sound.size < size);
  return sound;
}

function dropIfBroken({ id, workflow, source }: WorkflowFile, sound: Map<string, WorkflowFile>, report: Report): void {
  const broken = referencesOf(workflow).find((reference) => !sound.has(reference));
  if (broken === undefined) return;
  report({ file: source.file, message: `The workflow '${id}' contains the workflow '${broken}', which cannot run` });
  sound.delete(id);
}

/** The ids of the workflows that a workflow contains, in its node groups. */
export function referencesOf(workflow: StoredWorkflow): string[] {
  return workflow.nodes
    .filter(({ type }) => type.replace(/^core:/, '') === 'NodeGroup')
    .map((node) => node.configValues?.referencedWorkflowId ?? node.referencedWorkflowId)
    .filter((id) => typeof id === 'string');
}
