import { version } from 'bullmq/dist/cjs/version.js';

/** The version of BullMQ whose internals Errand was checked against. README.md in this folder lists them and says how to upgrade. */
export const CHECKED_VERSION = '6.7.0';

/** @throws Error if another version of BullMQ is installed: its Lua scripts and fields may differ */
export function requireCheckedBullmq(installed: string = version): void {
  if (installed === CHECKED_VERSION) return;
  const message =
    `BullMQ ${installed} is installed, but Errand was checked with ${CHECKED_VERSION}. ` +
    'Run `npm ci`. To upgrade BullMQ, follow libs/queue/src/bullmq/README.md.';
  throw Object.assign(new Error(message), { hint: true });
}
