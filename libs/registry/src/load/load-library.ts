import { assembleLibrary, type AssembleOptions } from './assemble-library.js';
import type { Library } from './library.js';
import { LibraryReader, type LibraryFolders } from '../files/read-library.js';

export interface LibraryOptions extends LibraryFolders, AssembleOptions {}

/** Loads plugins, workflows, tool files and agents. A file with a mistake is reported and left out; the others load. */
export async function loadLibrary(options: LibraryOptions): Promise<Library> {
  const files = await new LibraryReader(options).read();
  return assembleLibrary(files, options).library;
}
