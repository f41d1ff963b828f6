import type { LibraryProblem } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useReloadOn } from '../../live/use-reload-on.js';
import type { ListPage } from '../../parts/list-view.js';

/** The feed reports what one API has loaded. Another API, which may answer the read, has loaded the same files after so long. */
const SETTLED_MS = 1_000;

/** Calls `reload` when the files of the library have changed. */
export function useLibraryReload(reload: () => void): void {
  useReloadOn(({ event }) => event === 'library', reload, SETTLED_MS);
}

/** The problems of the files of the library, as the files are now. */
export function useProblems(): readonly LibraryProblem[] {
  const { data, reload } = useLoaded('problems', (signal) =>
    read<ListPage<LibraryProblem>>('/v1/tools/problems', {}, signal),
  );
  useLibraryReload(reload);
  return data?.items ?? [];
}
