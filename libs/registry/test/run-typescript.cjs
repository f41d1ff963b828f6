/* oxlint-disable no-underscore-dangle, typescript/unbound-method -- Node calls them so */
// Lets plain Node run the sources, for tests of what Jest has its own version of (require and its cache): node -r run-typescript.cjs
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const ROOT = join(__dirname, '../../..');
const resolveFilename = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
  const lib = /^@errand\/([a-z-]+)$/.exec(request);
  if (lib) return join(ROOT, 'libs', lib[1], 'src/index.ts');
  try {
    return resolveFilename.call(this, request, ...rest);
  } catch (error) {
    if (!request.startsWith('.')) throw error;
    return resolveFilename.call(this, request.replace(/\.js$/, '.ts'), ...rest);
  }
};
Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    configFile: join(ROOT, '.swcrc'),
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
