import { existsSync } from 'node:fs';
import { aptInstall } from '../apt.mjs';

const PACKAGE = 'libtest-json-schema-acceptance-perl';
const SUITE = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12';

/** The official test suite of JSON Schema, a Debian package. Without it, its tests are skipped and say so. */
export const schemaSuite = {
  title: 'JSON Schema suite',
  packages: () => (existsSync(SUITE) ? [] : [PACKAGE]),
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
      return 'not available here; its tests are skipped';
    }
  },
};
