/**
 * Lets plain Node.js run a TypeScript file of this project: `node --require load-typescript.cjs file.ts`. For tests
 * that need their own process or thread.
 */
const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');
const requireTypeScript = require('./require-typescript.cjs');

const root = path.resolve(__dirname, '../..');
const { $schema: _, ...options } = JSON.parse(readFileSync(path.join(root, '.swcrc'), 'utf8'));

requireTypeScript((filename) => builtCode(filename) ?? transformed(filename));

/** The code of the last build, which saves most of the time of a start. Undefined where the source is newer, and for tests. */
function builtCode(filename) {
  const built = path.join(root, 'dist', path.relative(root, filename).replace(/\.ts$/, '.js'));
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  return builtAt > statSync(filename).mtimeMs ? readFileSync(built, 'utf8') : undefined;
}

function transformed(filename) {
  // Loaded only here, because most processes need nothing but the build.
  const { transformSync } = require('@swc/core');
  return transformSync(readFileSync(filename, 'utf8'), { ...options, swcrc: false, filename }).code;
}
