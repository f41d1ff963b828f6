import type { NodeType, StoredWorkflow } from '@errand/contracts';
import { keysOf } from '../files/json-pointer.js';
import type { Plugin, WorkflowFile } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import { referencesOf } from '../resolve/references-of.js';

/**
 * All workflows by id. The second workflow with an id is refused, but that of a plugin gets the name of the plugin in
 * front, such as `garden/cheer`. Inside the plugin, `cheer` still means its own workflow.
 */
export function workflowsById(
  files: readonly WorkflowFile[],
  plugins: readonly Plugin[],
  nodeTypes: ReadonlyMap<string, NodeType>,
  report: ReportProblem,
): { named: Map<string, WorkflowFile>; refused: WorkflowFile[] } {
  const refused: WorkflowFile[] = [];
  const known = new Map<string, WorkflowFile>();
  const renamed = new Map<string, Map<string, string>>();
  const owned = new Set<string>();
  for (const file of files) {
    const plugin = plugins.find(({ folder }) => folder === file.plugin)?.manifest.name;
    const isFirstOfPlugin = plugin !== undefined && !owned.has(`${plugin} ${file.id}`);
    const id = known.has(file.id) && isFirstOfPlugin ? `${plugin}/${file.id}` : file.id;
    const first = known.get(id);
    if (first) {
      const message = `The workflow '${id}' is defined in ${first.source.file} already`;
      report(locateProblem(file.source, { path: '/id', message }));
      refused.push(file);
      continue;
    }
    owned.add(`${plugin} ${file.id}`);
    known.set(id, file);
    if (id !== file.id && file.plugin !== undefined)
      renamed.set(file.plugin, (renamed.get(file.plugin) ?? new Map()).set(file.id, id));
  }
  for (const [id, file] of known) {
    const names = renamed.get(file.plugin ?? '');
    if (names) known.set(id, underNewNames(file, id, names, nodeTypes));
  }
  return { named: known, refused };
}

const copies = new WeakMap<WorkflowFile, { key: string; copy: WorkflowFile }>();

/**
 * The workflow with its new id and the new ids of other workflows of its plugin. The same input returns the same
 * object, so that it counts as unchanged.
 */
function underNewNames(
  file: WorkflowFile,
  id: string,
  names: ReadonlyMap<string, string>,
  nodeTypes: ReadonlyMap<string, NodeType>,
): WorkflowFile {
  const references = referencesOf(file.workflow, nodeTypes).filter((reference) => names.has(reference.id));
  const key = JSON.stringify([id, references.map(({ id: old, path }) => [path, names.get(old)])]);
  const known = copies.get(file);
  if (known?.key === key) return known.copy;
  const workflow: StoredWorkflow = { ...structuredClone(file.workflow), id };
  for (const { id: old, path } of references) put(workflow, keysOf(path), names.get(old) ?? old);
  const copy = { ...file, id, workflow };
  copies.set(file, { key, copy });
  return copy;
}

function put(whole: object, keys: readonly string[], value: string): void {
  const [last = '', ...others] = keys.toReversed();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the path leads to a value that was found there
  const parent = others.reduceRight((at, key) => (at as Record<string, object>)[key]!, whole) as Record<string, string>;
  parent[last] = value;
}
