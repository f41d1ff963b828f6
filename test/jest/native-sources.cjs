/** The sources of Errand, as Node.js loads them for all suites of a worker process. Jest's transformer compiles them, with its cache on disk. */
const { statSync } = require('node:fs');
const path = require('node:path');
const requireTypeScript = require('../support/require-typescript.cjs');
// The rules of classes that stay loaded. They are in a global variable, which must exist before the first suite.
require('class-validator').getMetadataStorage();

const ROOT = path.resolve(__dirname, '../..');
/** Jest loads the console, whose sources import style sheets. */
const OF_ERRAND = /^(?:(?:apps\/(?!console\/)|libs\/)[^/]+\/src|plugins\/core\/nodes)\/(?!.*[.-]spec\.ts$).*\.ts$/;

/** By path: when the loaded file was changed. */
const loaded = new Map();
/** By path: the file with its source map. */
const maps = new Map();
let transforms;

requireTypeScript((filename) => {
  if (exports.has(filename)) loaded.set(filename, changeOf(filename));
  const code = transforms.transform(filename);
  const map = transforms.getSourceMaps().get(filename);
  if (map) maps.set(filename, map);
  return code;
});

const changeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** Whether Node.js loads this file. */
exports.has = (file) => OF_ERRAND.test(path.relative(ROOT, file));

/** Called at the start of each suite. After an edit, as in `jest --watch`, all sources are loaded anew. */
exports.transformWith = (transformCache) => {
  transforms = transformCache;
  for (const [file, map] of maps) transforms.getSourceMaps().set(file, map);
  if ([...loaded].every(([file, change]) => changeOf(file) === change)) return;
  for (const file of loaded.keys()) delete require.cache[file];
  loaded.clear();
  maps.clear();
};
