import { join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { API_SETTINGS, EnvironmentError, readProcessSettings } from '@errand/platform';
import { aliasOf } from '@errand/protocol';
import { loadRegistry, type Registry } from '@errand/registry';
import { KnownError } from '@errand/contracts';

/** The built-in plugin. It is next to the apps, both in the sources and in dist/. */
const CORE = join(__dirname, '../../../../plugins/core');

/**
 * The library folders of ERRAND_LIBRARY.
 * @throws KnownError for settings that every process of Errand refuses
 */
export function libraryFolders(): readonly string[] {
  try {
    // The key of a client is for another Errand.
    return readProcessSettings(API_SETTINGS, { ...process.env, ERRAND_API_KEY: undefined }).ERRAND_LIBRARY;
  } catch (error) {
    throw error instanceof EnvironmentError ? new KnownError(error.message) : error;
  }
}

/** Loads library folders and single plugins like every process of Errand. It works without a running stack. */
export function openRegistry(folders: readonly string[], pluginFolders: readonly string[] = []): Promise<Registry> {
  return loadRegistry({ folders, pluginFolders, coreDir: CORE, checkWorkflow, aliasOf });
}
