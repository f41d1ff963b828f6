import { join } from 'node:path';
import { didYouMean } from '@errand/contracts';
import { checkFile } from './check-file.js';
import { findFiles } from './find-files.js';
import type { AgentProfile } from './file-shapes.js';
import { placeProblem, type Report } from './library-problem.js';
import { readSource } from './read-source.js';

/** Reads `agents/*.json` of a library. A tool id in an inventory that names no tool is reported; the agent has the others. */
export async function readAgents(
  libraryFolder: string,
  known: Map<string, AgentProfile>,
  toolIds: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  for (const file of await findFiles(join(libraryFolder, 'agents'), '.json')) {
    const source = await readSource(file, report);
    const profile = source && checkFile(source, 'agent_profile', report);
    if (!profile) continue;
    if (known.has(profile.id)) {
      report(placeProblem(source, { path: '/id', message: `The agent '${profile.id}' is defined already` }));
      continue;
    }
    known.set(profile.id, profile);
    profile.tool_ids_inventory.forEach((id, index) => {
      if (id.includes('*') || toolIds.has(id)) return;
      const suggestion = didYouMean(id, toolIds);
      const problem = { path: `/tool_ids_inventory/${index}`, message: `There is no tool '${id}'` };
      report(placeProblem(source, suggestion === undefined ? problem : { ...problem, suggestion }));
    });
  }
}
