import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '@errand/contracts';
import { EnvironmentError, type ScriptRunnerSettings } from '@errand/platform';
import Docker from 'dockerode';
import { EgressProxy, parseEgressPolicy } from './egress/index.js';
import { Environments, openPackageProxy } from './environments/index.js';
import { parseFolderPolicy, SharedFolders } from './files/shared-folders.js';
import type { Provisions } from './prepare-run.js';
import type { DockerSandbox } from './sandbox/index.js';
import { parseSecretPolicy, SecretStore } from './secrets/index.js';

const MB = 1024 * 1024;

export function imagesOf(settings: ScriptRunnerSettings): Record<Language, string> {
  const { ERRAND_IMAGE_PYTHON: python, ERRAND_IMAGE_BUN: bun } = settings;
  return { python, bun, nodejs: bun };
}

/**
 * What the settings let scripts have beyond a sandbox; by default nothing.
 * @throws EnvironmentError where a policy cannot be read: it is not guessed at
 */
export function openProvisions(settings: ScriptRunnerSettings, sandbox: DockerSandbox): Provisions {
  const [egress, secrets, folders] = [
    policy('ERRAND_EGRESS_ALLOW', () => parseEgressPolicy(settings.ERRAND_EGRESS_ALLOW ?? [])),
    policy('ERRAND_SECRETS_ALLOW', () => parseSecretPolicy(settings.ERRAND_SECRETS_ALLOW ?? [])),
    policy('ERRAND_FILES_ALLOW', () => parseFolderPolicy(settings.ERRAND_FILES_ALLOW ?? [])),
  ];
  return {
    environments: openEnvironments(settings, sandbox),
    proxy: new EgressProxy(egress),
    secrets: new SecretStore(settings.ERRAND_SECRETS_DIR, secrets),
    folders: new SharedFolders(settings.ERRAND_FILES_DIR ?? join(settings.ERRAND_DATA_DIR, 'files'), folders),
    egressBytes: settings.ERRAND_EGRESS_MAX_MB * MB,
    artifactBytes: settings.ERRAND_ARTIFACTS_MAX_MB * MB,
  };
}

function openEnvironments(settings: ScriptRunnerSettings, sandbox: DockerSandbox): Environments {
  // Where this host trusts authorities of its own, so must what installs packages for it.
  const bundle = process.env['NODE_EXTRA_CA_CERTS'];
  return new Environments({
    docker: new Docker(),
    sandbox,
    images: imagesOf(settings),
    sources: {
      pipIndexUrl: settings.ERRAND_PIP_INDEX_URL,
      npmRegistry: settings.ERRAND_NPM_REGISTRY,
      hosts: settings.ERRAND_PACKAGE_HOSTS ?? [],
      runScripts: settings.ERRAND_PACKAGE_SCRIPTS,
      ...(bundle && { authorities: readFileSync(bundle, 'utf8') }),
    },
    proxy: openPackageProxy(),
    maxBytes: settings.ERRAND_ENVIRONMENTS_MAX_MB * MB,
  });
}

function policy<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new EnvironmentError([`${name}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
