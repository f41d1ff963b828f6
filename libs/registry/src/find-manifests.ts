import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from './follow-link.js';
import type { Report } from './library-problem.js';
import { reportMisnamed } from './report-misnamed.js';
import { isHidden } from './walk-folder.js';

const NAME = 'plugin.yaml';

/** The `plugin.yaml` of every folder in `plugins` of a library, in the order of their names. `root` is the real path of the library. */
export function findManifests(libraryFolder: string, root: string, report: Report): string[] {
  const plugins = join(libraryFolder, 'plugins');
  return namesIn(plugins, root).flatMap((name) => {
    const names = namesIn(join(plugins, name), root);
    if (names.includes(NAME)) return [join(plugins, name, NAME)];
    for (const other of names) reportMisnamed(join(plugins, name, other), NAME, report);
    return [];
  });
}

/** The names in a folder, sorted, without hidden ones and links out of the library; none if the folder cannot be read. */
function namesIn(folder: string, root: string): string[] {
  if (!isInside(folder, root)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => !isHidden(name) && isInside(join(folder, name), root))
      .toSorted();
  } catch {
    return [];
  }
}
