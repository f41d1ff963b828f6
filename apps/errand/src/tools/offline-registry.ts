import { join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { API_SETTINGS, EnvironmentError, readProcessSettings } from '@errand/platform';
import { aliasOf } from '@errand/protocol';
import { loadRegistry, type Registry } from '@errand/registry';
import { KnownError } from '@errand/contracts';

/** The built-in plugin, beside the apps in the sources and in dist/ alike. */
const CORE = join(__dirname, '../../../../plugins/core');

/**
 * The library folders that the environment names.
 * @throws KnownError for settings that no process of Errand would start with
 */
export function libraryFolders(): readonly string[] {
  try {
    return readProcessSettings(API_SETTINGS, process.env).ERRAND_LIBRARY;
  } catch (error) {
    throw error instanceof EnvironmentError ? new KnownError(error.message) : error;
  }
}

/** The tools of some library folders and lone plugins, as every process of Errand would load them. Nothing need be running. */
export function openRegistry(folders: readonly string[], pluginFolders: readonly string[] = []): Promise<Registry> {
  return loadRegistry({ folders, pluginFolders, coreDir: CORE, checkWorkflow, aliasOf });
}
