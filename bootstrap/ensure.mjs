import { aptInstall } from './apt.mjs';
import { baseImage } from './needs/base-image.mjs';
import { chromium } from './needs/chromium.mjs';
import { build } from './needs/compiled-code.mjs';
import { docker } from './needs/docker.mjs';
import { npmPackages } from './needs/npm-packages.mjs';
import { runnerImages } from './needs/runner-images.mjs';
import { elapsed, good, pending, warn } from './report.mjs';
import { mayInstall } from './settings.mjs';

/**
 * A thing that a command needs before it can run.
 * @typedef {object} Need
 * @property {string} title
 * @property {string} [fix] how a person provides it by hand, if `check` does not throw that
 * @property {() => string[]} [packages] the Debian packages of the thing that are missing, as far as they are known in advance
 * @property {() => Promise<string | undefined>} check returns a description of the thing, or undefined if it must be made; throws a
 *   SetupError if it cannot be made
 * @property {(report: (doing: string) => void) => Promise<string>} [make] makes the thing, reports its progress, and returns a
 *   description; absent if `check` always returns a description or throws
 */

/** @type {Need[]} the needs of compiled code */
export const CODE = [npmPackages, build];
/** @type {Need[]} the needs of scripts; Errand can run without them */
export const SANDBOX = [docker, ...(runnerImages.some(({ isOurs }) => isOurs) ? [baseImage] : []), ...runnerImages];

/**
 * Provides the missing things, in order. Reports each thing, or only those that it made.
 * @param later needs that follow; their Debian packages are installed, too
 * @throws SetupError for the first thing that cannot be provided
 */
export async function ensure(needs, { reportAll = true, later = [] } = {}) {
  const installed = installPackages([...needs, ...later]);
  try {
    for (const need of needs) {
      if (need.packages) await installed;
      await provide(need, reportAll);
    }
  } finally {
    // An end in the middle of an installation would leave it half done.
    await installed;
  }
}

/**
 * Installs the Debian packages of all needs by one call, which runs beside `npm ci`. One call for each package takes twice as long. If the
 * common call fails, each need installs its own package later, and its error names the reason.
 */
async function installPackages(needs) {
  const missing = needs.flatMap(({ packages }) => packages?.() ?? []);
  if (missing.length < 2 || !mayInstall()) return;
  const start = performance.now();
  pending('Debian', `installing ${missing.join(', ')} with apt-get`);
  await aptInstall(missing).then(
    () => good('Debian', `${missing.length} packages installed (${elapsed(start)})`),
    () => pending('Debian', 'not all packages can be installed together; each is tried alone'),
  );
}

async function provide({ title, check, make }, reportAll) {
  const start = performance.now();
  try {
    const there = await check();
    if (there) {
      if (reportAll) good(title, there);
      return;
    }
    const made = await make((doing) => pending(title, doing));
    good(title, `${made} (${elapsed(start)})`);
  } catch (error) {
    error.title = title;
    throw error;
  }
}

/** Provides the needs of scripts. Without them everything else works, so a failure is only a warning. @returns whether it succeeded */
export async function ensureSandbox() {
  try {
    await ensure(SANDBOX.filter((need) => !runnerImages.includes(need)));
    const made = await Promise.allSettled(runnerImages.map((image) => ensure([image])));
    const failed = made.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  } catch (error) {
    warn(error.title ?? 'Docker engine', error);
    warn('scripts', { message: 'Python and Bun tools cannot run; everything else does' });
    return false;
  }
}

/** Provides a browser for the tests of the console. Without it they are skipped, so a failure is only a warning. */
export async function ensureBrowser() {
  try {
    await ensure([chromium]);
  } catch (error) {
    warn(error.title ?? 'Chromium', error);
    warn('console', { message: 'its tests in a browser are skipped; all others run' });
  }
}
