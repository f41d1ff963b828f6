import { assembleLibrary, type AssembleOptions } from './assemble-library.js';
import type { Library } from './library.js';
import { LibraryReader, type LibraryFolders } from '../files/read-library.js';

export interface LibraryOptions extends LibraryFolders, AssembleOptions {}

/**
 * Loads everything that defines tools: plugins, workflows, tool files, agents. A file with a mistake is left out and reported;
 * the others load.
 */
export async function loadLibrary(options: LibraryOptions): Promise<Library> {
  const files = await new LibraryReader(options).read();
  return assembleLibrary(files, options).library;
}
