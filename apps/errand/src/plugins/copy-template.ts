import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { topFolder } from '../top-folder.js';

/**
 * Copies the plugin of `examples/plugin-template` under another name; `folder` must not exist yet. Returns the files, relative to
 * it.
 */
export function copyTemplate(name: string, folder: string): string[] {
  const template = join(topFolder(), 'examples/plugin-template');
  const schemas = join(topFolder(), 'docs/schemas');
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder);
  const files = readdirSync(template, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(template, path)).isFile())
    .toSorted();
  for (const path of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    const toSchemas = relative(dirname(target), schemas).split(sep).join('/');
    writeFileSync(target, renamed(readFileSync(join(template, path), 'utf8'), name, toSchemas), { flag: 'wx' });
  }
  return files;
}

function renamed(text: string, name: string, toSchemas: string): string {
  const title = name
    .split(/[_-]+/)
    .filter(Boolean)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(' ');
  return text
    .replaceAll(/(?:\.\.\/)+docs\/schemas/g, toSchemas)
    .replaceAll(/\bstarter\b/g, name)
    .replaceAll(/\bStarter\b/g, title);
}
