import { aptInstall } from '../apt.mjs';
import { findProgram } from '../run-command.mjs';

/** A Chromium without windows. It needs a third less processor time for a page. Some distributions do not have it. */
const SHELL = 'chromium-headless-shell';

/** The path of a Chromium, or undefined. */
export const findBrowser = () =>
  findProgram(SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');

/** A browser for the tests of the console. */
export const chromium = {
  title: 'Chromium',
  packages: () => (findBrowser() ? [] : [SHELL]),
  fix: 'run `sudo apt-get install chromium`',
  async check() {
    return findBrowser();
  },
  async make(report) {
    report('installing chromium with apt-get');
    await aptInstall([SHELL]).catch(() => aptInstall(['chromium']));
    return findBrowser();
  },
};
