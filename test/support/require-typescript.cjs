/* eslint-disable no-underscore-dangle -- names of Node.js */
const { existsSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');

/**
 * Lets `require` of Node.js load the sources of this project. It resolves the `@errand/` aliases and the `.js` endings.
 * @param codeOf the JavaScript of a file
 */
module.exports = function requireTypeScript(codeOf) {
  require.extensions['.ts'] = (module, filename) => module._compile(codeOf(filename), filename);
  const resolveFilename = Module._resolveFilename;
  Module._resolveFilename = function resolveSource(request, parent, ...rest) {
    const library = /^@errand\/([a-z-]+)$/.exec(request)?.[1];
    if (library) return path.join(root, 'libs', library, 'src/index.ts');
    const source = path.resolve(parent?.path ?? root, request.replace(/\.js$/, '.ts'));
    return request.startsWith('.') && source.endsWith('.ts') && existsSync(source)
      ? source
      : resolveFilename.call(this, request, parent, ...rest);
  };
};
