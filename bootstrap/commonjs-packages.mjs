import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { transformSync } from '@swc/core';
import { ROOT } from './settings.mjs';

/**
 * The packages that exist only as ECMAScript modules and that each process loads at its start. Node.js loads 400 such files three times
 * slower than CommonJS: it resolves URLs, parses each CommonJS dependency for its names, and keeps three module graphs.
 */
const PACKAGES = [
  '@marcbachmann/cel-js',
  '@nestjs/bull-shared',
  '@nestjs/bullmq',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  'agent-base',
  'chokidar',
  'proxy-chain',
  'readdirp',
  'socks-proxy-agent',
];
const MODULES = join(ROOT, 'node_modules');
const COPIES = join(ROOT, 'dist/node_modules');

/** Compiles `PACKAGES` as CommonJS into dist/node_modules, where the code in dist/ finds them before those in node_modules. */
export function compilePackages() {
  for (const name of PACKAGES) compilePackage(join(MODULES, name), join(COPIES, name));
}

function compilePackage(from, to) {
  for (const path of readdirSync(from, { recursive: true })) {
    if (path.startsWith('node_modules')) continue;
    if (extname(path) === '.js') write(join(to, path), asCommonJs(join(from, path)));
  }
  const { type, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  if (type !== 'module') throw new Error(`${from} is no ECMAScript module: take it out of ${import.meta.url}`);
  write(join(to, 'package.json'), `${JSON.stringify(manifest, null, 1)}\n`);
  linkOwnPackages(from, to);
}

/** The dependencies that npm installed inside the package stay where they are. */
function linkOwnPackages(from, to) {
  const own = join(from, 'node_modules');
  if (existsSync(own)) symlinkSync(relative(to, own), join(to, 'node_modules'));
}

function asCommonJs(file) {
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    filename: file,
    swcrc: false,
    // `node`: a default import of a CommonJS package is its whole `module.exports`, as in Node.js.
    module: { type: 'commonjs', importInterop: 'node' },
    jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
  });
  return code;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
