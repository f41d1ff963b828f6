import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './library-problem.js';
import { reportMisnamed } from './report-misnamed.js';
import { isHidden } from './walk-folder.js';

const NAME = 'plugin.yaml';

/** The `plugin.yaml` of every folder in `plugins` of a library, in the order of their names. */
export function findManifests(libraryFolder: string, report: Report): string[] {
  const plugins = join(libraryFolder, 'plugins');
  return namesIn(plugins).flatMap((name) => {
    const names = namesIn(join(plugins, name));
    if (names.includes(NAME)) return [join(plugins, name, NAME)];
    for (const other of names) reportMisnamed(join(plugins, name, other), NAME, report);
    return [];
  });
}

/** What lies in a folder, sorted, less what is hidden; nothing where it is no folder that can be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !isHidden(name))
      .toSorted();
  } catch {
    return [];
  }
}
