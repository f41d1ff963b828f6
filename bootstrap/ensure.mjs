import { baseImage } from './needs/base-image.mjs';
import { build } from './needs/compiled-code.mjs';
import { docker } from './needs/docker.mjs';
import { npmPackages } from './needs/npm-packages.mjs';
import { runnerImages } from './needs/runner-images.mjs';
import { elapsed, good, pending, warn } from './report.mjs';

/**
 * A thing that must be there before a command can run.
 * @typedef {object} Need
 * @property {string} title
 * @property {string} [mend] how a person provides it by hand, where `check` does not throw that
 * @property {() => Promise<string | undefined>} check what is there, in a few words; undefined where it must be made;
 *   throws a SetupError where it can't be made either
 * @property {(tell: (doing: string) => void) => Promise<string>} [make] makes it, telling what it does; what is there now; left out where
 *   `check` always finds it or throws
 */

/** @type {Need[]} what compiled code needs */
export const CODE = [npmPackages, build];
/** @type {Need[]} what scripts need: the one part that Errand can go on without */
export const SANDBOX = [docker, ...(runnerImages.some(({ isOurs }) => isOurs) ? [baseImage] : []), ...runnerImages];

/** Provides what is missing, in order, and tells of each, or of those alone that it made. @throws SetupError at the first that can't be had */
export async function ensure(needs, { reportAll = true } = {}) {
  for (const need of needs) await provide(need, reportAll);
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

/** The same for scripts' sandboxes. Without them Errand can do all the rest: says why they can't be had, and whether they can. */
export async function ensureSandbox() {
  try {
    await ensure(SANDBOX);
    return true;
  } catch (error) {
    warn(error.title ?? 'Docker engine', error);
    warn('scripts', { message: 'Python and Bun tools cannot run; everything else does' });
    return false;
  }
}
