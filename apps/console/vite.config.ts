import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '../../dist/apps/console');

/** What most pages use is one file. As a file for each part, the first page needed twenty requests. Lazily imported parts stay apart. */
const SHARED = {
  name: 'shared',
  test: /apps\/console\/src\/(?:statuses|pages\/bulk\/bulk-words|(?:api|live|parts|shell|text)\/)|node_modules\/(?:@preact|preact|preact-iso)\//,
  minShareCount: 2,
  includeDependenciesRecursively: false,
};

/** Writes each asset a second time with gzip, so that the API compresses nothing. */
function gzipAssets(): Plugin {
  return {
    name: 'gzip-assets',
    apply: 'build',
    closeBundle() {
      const folder = join(OUT, 'assets');
      for (const name of readdirSync(folder))
        if (!name.endsWith('.gz'))
          writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
    },
  };
}

/** The policy of the pages allows neither inline code nor `data:` files, so nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // One style sheet of 10 KB costs less than a request for each page.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [SHARED] } } },
  },
  logLevel: 'warn',
  plugins: [gzipAssets()],
});
