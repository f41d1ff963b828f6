const { readFileSync } = require('node:fs');
const swcrc = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swcrc.$schema;

/** The components of the console. */
const JSX = {
  parser: { syntax: 'typescript', tsx: true, dynamicImport: true },
  transform: { react: { runtime: 'automatic', importSource: 'preact' } },
};

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/plugins', '<rootDir>/test'],
  // *.spec.ts: no I/O. *.int-spec.ts: real Redis or Docker. *.e2e-spec.ts: whole flows over HTTP.
  testRegex: '\\.(spec|int-spec|e2e-spec)\\.tsx?$',
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  // Suites run in the realm of the worker process, and Node.js loads packages and sources once for all suites of a worker.
  testEnvironment: `${__dirname}/test/jest/own-realm-environment.cjs`,
  runtime: `${__dirname}/test/jest/native-modules-runtime.cjs`,
  testSequencer: `${__dirname}/test/jest/long-suites-first.cjs`,
  transform: {
    '^.+\\.m?[tj]s$': ['@swc/jest', { ...swcrc, sourceMaps: 'inline' }],
    '^.+\\.tsx$': ['@swc/jest', { ...swcrc, jsc: { ...swcrc.jsc, ...JSX }, sourceMaps: 'inline' }],
  },
  moduleNameMapper: {
    '^@errand/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '\\.css$': '<rootDir>/test/jest/no-styles.cjs',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // It only ends a hang. Tests wait on conditions, which name what did not come after PATIENCE_MS of test/support/eventually.ts.
  testTimeout: 900_000,
};
