/**
 * Lets Node.js load the sources of Errand once for all suites of a worker process, and the pool of Redis servers. Jest's transformer compiles
 * them, with its cache on disk.
 */
const { statSync } = require('node:fs');
const path = require('node:path');
const requireTypeScript = require('../support/require-typescript.cjs');
// class-validator keeps its rules in a global variable. If a suite created it, the end of that suite would delete it, but the classes stay loaded.
require('class-validator').getMetadataStorage();

const ROOT = path.resolve(__dirname, '../..');
/** Jest loads the console, whose sources import style sheets. */
const OF_ERRAND = /^(?:(?:apps\/(?!console\/)|libs\/)[^/]+\/src|plugins\/core\/nodes)\/(?!.*[.-]spec\.ts$).*\.ts$/;
const OF_POOL = /^test\/support\/re(?:dis-pool|set-redis)\.ts$/;

/** The time of the last change of each loaded source, by path. */
const loaded = new Map();
/** The file with the source map of each source, by path. */
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
exports.has = (file) => [OF_ERRAND, OF_POOL].some((pattern) => pattern.test(path.relative(ROOT, file)));

/** Called at the start of each suite. After an edit, as in `jest --watch`, all sources are loaded anew. */
exports.transformWith = (transformCache) => {
  transforms = transformCache;
  for (const [file, map] of maps) transforms.getSourceMaps().set(file, map);
  if ([...loaded].every(([file, change]) => changeOf(file) === change)) return;
  for (const file of loaded.keys()) delete require.cache[file];
  loaded.clear();
  maps.clear();
};
