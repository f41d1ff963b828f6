/**
 * A cache of compiled code for the processes that tests start: `node --require <this file> dist/apps/worker/src/main.js`.
 *
 * A third of the processor time of a start is the search for 2,000 files of packages, and their compilation. `record-code-cache.mjs` starts
 * every app once, and writes two files beside the build: which file each `require` found, and V8's code of each file. A process with
 * this hook evaluates the same files, from there. Without the cache, or after a change of the packages, it does nothing. A build removes it.
 */
/* oxlint-disable eslint/no-underscore-dangle -- the hooks of Node.js have such names */
const { openSync, readFileSync, readSync, statSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { constants, Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');
const { FLAGS } = require('./quick-flags.cjs');

const ROOT = path.join(__dirname, '../..');
const INDEX = path.join(ROOT, 'dist/code-cache.json');
const CODE = path.join(ROOT, 'dist/code-cache.bin');

/** What the cache was made from: this folder, and the installed packages. */
function origin() {
  return `${ROOT} ${statSync(path.join(ROOT, 'node_modules/.package-lock.json')).mtimeMs} ${process.version}`;
}

/**
 * Compiles a file as Node.js does. A `cachedData` of another V8 is ignored.
 * @param text the source in the function that Node.js calls: `Module.wrap(source)`
 */
function compile(text, filename, cachedData) {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script(text, { filename, cachedData, importModuleDynamically });
}

function evaluate(script, module, filename) {
  const require = (request) => module.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  const run = script.runInThisContext();
  return run.call(module.exports, module.exports, require, module, filename, path.dirname(filename));
}

/** The written cache; undefined if there is none, or if it is of other packages. */
function readIndex() {
  try {
    const index = JSON.parse(readFileSync(INDEX, 'utf8'));
    return index.origin === origin() ? index : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes files from the cache.
 * @param index `files`: for each path the offset, the bytes of the text, the bytes of the code and the encoding of the text; `found`: for each
 *   folder and request the number of the file
 */
function install({ files, found }) {
  const paths = Object.keys(files);
  const code = openSync(CODE);
  const { _resolveFilename: resolve, _extensions: extensions } = Module;
  const load = extensions['.js'];
  Module._resolveFilename = function (request, parent, isMain, options) {
    const known = options || !parent?.filename ? undefined : found[path.dirname(parent.filename)]?.[request];
    return known === undefined ? resolve.call(this, request, parent, isMain, options) : paths[known];
  };
  extensions['.js'] = function (module, filename) {
    const entry = files[filename];
    if (!entry) {
      load(module, filename);
      return;
    }
    const [at, textBytes, codeBytes, encoding] = entry;
    const bytes = Buffer.allocUnsafeSlow(textBytes + codeBytes);
    readSync(code, bytes, 0, bytes.length, at);
    const text = bytes.toString(encoding, 0, textBytes);
    evaluate(compile(text, filename, bytes.subarray(textBytes)), module, filename);
  };
}

// The recorder also loads this file, but not by `--require`.
const isHook = module.parent?.id === 'internal/preload' && isMainThread;
const index = isHook ? readIndex() : undefined;
if (index) install(index);

module.exports = { CODE, FLAGS, INDEX, ROOT, compile, evaluate, origin };
