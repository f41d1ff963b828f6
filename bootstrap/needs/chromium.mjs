import { aptInstall } from '../apt.mjs';
import { findProgram } from '../run-command.mjs';

const findBrowser = () => findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');

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
