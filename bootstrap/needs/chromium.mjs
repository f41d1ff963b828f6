import { aptInstall } from '../apt.mjs';
import { findProgram } from '../run-command.mjs';

/** The path of a Chromium, or undefined. */
export const findBrowser = () => findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');

/** A browser for the tests of the console. */
export const chromium = {
  title: 'Chromium',
  fix: 'run `sudo apt-get install chromium`',
  async check() {
    return findBrowser();
  },
  async make(report) {
    report('installing chromium with apt-get');
    await aptInstall(['chromium']);
    return findBrowser();
  },
};
