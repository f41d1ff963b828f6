import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages, type Installation } from './install-packages.js';

const ROOT = join(__dirname, '../..');
/** The packages of the generators, and the programs that use the generated clients. */
const SOURCE = join(ROOT, 'test/openapi-clients');
const LARGEST_OUTPUT = 16 * 1_024 * 1_024;

/** The compiler of this repository: it finds the same errors as that of the packages in an eighth of the CPU time. */
export const COMPILER = join(ROOT, 'node_modules/@typescript/native/bin/tsc');

/** Programs of the packages, by their paths below node_modules. */
export const PROGRAMS = {
  openapiTypescript: 'openapi-typescript/bin/cli.js',
  heyApi: '@hey-api/openapi-ts/bin/run.js',
  redocly: '@redocly/cli/bin/cli.js',
};

/** Installs the generators, which need another TypeScript than this repository. */
export function installGenerators(): Installation {
  return installPackages(SOURCE);
}

/** A folder below the packages with the programs of the test; an older one is replaced. */
export function prepareProject(folder: string): string {
  const project = join(folder, 'project');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  for (const name of ['tsconfig.json', 'use-openapi-fetch.ts', 'use-hey-api.ts'])
    cpSync(join(SOURCE, name), join(project, name));
  return project;
}

/**
 * Runs a program of a package, or a compiled file, in the project.
 * @returns its stdout
 * @throws Error with stdout and stderr, if it fails
 */
export async function runNode(project: string, args: readonly string[], env: Record<string, string> = {}) {
  const settings = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', DO_NOT_TRACK: '1' };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: project, ...settings, ...env },
      maxBuffer: LARGEST_OUTPUT,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`node ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
