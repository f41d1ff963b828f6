import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { AssembleOptions } from '../load/assemble-library.js';
import { nameInLibrary } from '../load/add-tools.js';
import type { LibraryFiles } from '../files/library-files.js';
import { makeRemoteToolOnce } from './make-remote-tool.js';

/** The number of tools that are made before the event loop gets a turn. Each compiles its schemas. */
const AT_A_TIME = 25;

/**
 * Makes the tools that servers list, a few at a time. `assembleLibrary` makes the same tools in one go, and then finds
 * them made: a server with thousands of tools does not stop the process.
 */
export async function prepareRemoteTools(
  { servers }: LibraryFiles,
  { folders, remoteListOf, aliasOf = (id) => id, escapeText = (text) => text }: AssembleOptions,
): Promise<void> {
  let count = 0;
  for (const { content, file } of servers) {
    for (const server of content?.servers ?? []) {
      const origin = { server, source: nameInLibrary(file, folders), aliasOf, escapeText };
      for (const listed of remoteListOf?.(server)?.tools ?? []) {
        makeRemoteToolOnce(listed, origin);
        if (++count % AT_A_TIME === 0) await letOthersRun();
      }
    }
  }
}
