/**
 * Lets plain Node.js run a TypeScript file of this project: `node --require load-typescript.cjs file.ts`. For tests
 * that need their own process or thread. It resolves the `@errand/` aliases and the `.js` endings.
 */
/* eslint-disable no-underscore-dangle -- names of Node.js */
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');

const root = path.resolve(__dirname, '../..');
const { $schema: _, ...options } = JSON.parse(readFileSync(path.join(root, '.swcrc'), 'utf8'));

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, swcrc: false, filename });
  module._compile(code, filename);
};

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolveSource(request, parent, ...rest) {
  const library = /^@errand\/([a-z-]+)$/.exec(request)?.[1];
  if (library) return path.join(root, 'libs', library, 'src/index.ts');
  const source = path.resolve(parent?.path ?? root, request.replace(/\.js$/, '.ts'));
  return request.startsWith('.') && source.endsWith('.ts') && existsSync(source)
    ? source
    : resolveFilename.call(this, request, parent, ...rest);
};
