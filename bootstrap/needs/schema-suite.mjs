import { existsSync } from 'node:fs';
import { aptInstall } from '../apt.mjs';

const PACKAGE = 'libtest-json-schema-acceptance-perl';
const SUITE = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12';

/** The official test suite of JSON Schema, which Debian ships. Tests can go on without it: its own is skipped then, and says so. */
export const schemaSuite = {
  title: 'JSON Schema suite',
  fix: `run \`sudo apt-get install ${PACKAGE}\``,
  async check() {
    return existsSync(SUITE) ? PACKAGE : undefined;
  },
  async make(report) {
    report(`installing ${PACKAGE} with apt-get`);
    try {
      await aptInstall([PACKAGE]);
      return PACKAGE;
    } catch {
      return 'not to be had here; its tests are skipped';
    }
  },
};
