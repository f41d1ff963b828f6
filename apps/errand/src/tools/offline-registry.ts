import { join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { API_SETTINGS, readProcessSettings } from '@errand/platform';
import { aliasOf } from '@errand/protocol';
import { loadRegistry, type Registry } from '@errand/registry';

/** The built-in plugin, beside the apps in the sources and in dist/ alike. */
const CORE = join(__dirname, '../../../../plugins/core');

/** The library folders that the environment names. */
export function libraryFolders(): readonly string[] {
  return readProcessSettings(API_SETTINGS, process.env).ERRAND_LIBRARY;
}

/** The tools of some library folders, as every process of Errand would load them. Nothing need be running. */
export function openRegistry(folders: readonly string[]): Promise<Registry> {
  return loadRegistry({ folders, coreDir: CORE, checkWorkflow, aliasOf });
}
