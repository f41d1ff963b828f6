import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, isStamped, stamp } from './digest.mjs';
import { runCommand } from './run-command.mjs';
import { ROOT } from './settings.mjs';

const VITE = 'node_modules/vite/bin/vite.js';
const SOURCES = ['apps/console', 'package-lock.json', 'bootstrap/build-console.mjs'];

/** What the browser loads. */
export const CONSOLE_FOLDER = join(ROOT, 'dist/apps/console');
const STAMP = join(CONSOLE_FOLDER, '.sources');

export const canBuildConsole = () => existsSync(join(ROOT, VITE));
export const isConsoleBuilt = () => existsSync(STAMP) && isStamped(STAMP, digest());

/**
 * Builds the console into dist/, unless it fits its sources already. Without Vite, which belongs to the packages for development, the API
 * runs without the console.
 */
export async function buildConsole() {
  if (isConsoleBuilt()) return;
  rmSync(CONSOLE_FOLDER, { recursive: true, force: true });
  if (!canBuildConsole()) {
    console.error('The console was not built, because the package vite is missing: run `npm ci`, then `npm run build`');
    return;
  }
  await runCommand('node', [VITE, 'build', '--config', 'apps/console/vite.config.ts'], {
    cwd: ROOT,
    timeoutMs: 240_000,
    env: { ...process.env, VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' },
  });
  stamp(STAMP, digest());
}

function digest() {
  return digestOf(ROOT, SOURCES, (path) => !/[.-]spec\.tsx?$|(^|\/)test\//.test(path));
}
