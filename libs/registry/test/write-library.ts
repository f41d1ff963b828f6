import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { loadRegistry, type LibraryOptions, type Registry } from '../src/index.js';

/** The files of a library by path. A value that is not a string is written as JSON. */
export type Files = Record<string, unknown>;

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Writes a library into a temporary folder, which is removed after the tests of the file. */
export function writeLibrary(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'errand-library-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return folder;
}

export const CORE = join(__dirname, '../../../plugins/core');

/** Loads libraries with the real core plugin and the real workflow check. */
export function load(...libraries: Files[]): Promise<Registry> {
  return loadFolders(libraries.map(writeLibrary));
}

export function loadFolders(libraryFolders: string[], more: Partial<LibraryOptions> = {}): Promise<Registry> {
  return loadRegistry({ folders: libraryFolders, coreDir: CORE, checkWorkflow, ...more });
}

/** A valid tool file. `over` replaces fields; undefined removes them. */
export function toolFile(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    toolId: 'kb:search',
    displayName: 'Search',
    description: 'Searches the knowledge base',
    version: '1.0.0',
    handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    ...over,
  };
}

/** A plugin `box` whose tool `box:pack` runs the node type `box:pack`. `fields` are the fields of that node type, as JavaScript. */
export function boxPlugin(fields: string): Files {
  return {
    'plugins/box/plugin.yaml': [
      'name: box',
      'displayName: Box',
      'version: 1.0.0',
      'description: Boxes',
      'nodes: { entry: nodes.js }',
      'tools:',
      '  - id: box:pack',
      '    displayName: Pack',
      '    description: Packs things',
      '    implementation: { type: node, nodeType: box:pack }',
    ].join('\n'),
    'plugins/box/nodes.js': `module.exports = { nodes: [{ type: 'box:pack', description: 'Packs things', ${fields} }] };`,
  };
}
