import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The place at the end of a line of a stack: the path or URL of a file, its line and its column. */
const PLACE = /((?:file:\/\/)?\/[^()\n]{1,4096}):(\d+):(\d+)(?=\)?$)/gm;

/**
 * The stack of an error, with places in the TypeScript sources instead of those in dist/. The source maps are read here, when there is an error.
 * Node.js can map stacks, too, but it then reads the map of every module that a command loads, which is a seventh of the CPU time of a start.
 */
export function mappedStack(error) {
  const { stack = String(error) } = error;
  const maps = new Map();
  return stack.replaceAll(PLACE, (place, file, line, column) => {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    if (!maps.has(path)) maps.set(path, readMap(path));
    const { originalSource, originalLine, originalColumn } = maps.get(path)?.findEntry(line - 1, column - 1) ?? {};
    if (originalSource === undefined) return place;
    return `${resolve(dirname(path), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

/** The map beside a compiled file; undefined without one. */
function readMap(path) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
