import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStart } from './processes.js';
import { findRunningStack, forgetRunningStack, recordRunningStack, refuseSecondStack } from './running-stack.js';

const URL = 'http://127.0.0.1:3000';

describe('the stack of a data folder', () => {
  let dataDir: string;
  const file = () => join(dataDir, 'up.json');
  const recorded = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
  const change = (fields: object) => writeFileSync(file(), JSON.stringify({ ...recorded(), ...fields }));

  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'errand-up-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('is found while its process lives, and not once it is forgotten', () => {
    expect(findRunningStack(dataDir)).toBeUndefined();
    recordRunningStack(dataDir, URL);
    expect(findRunningStack(dataDir)).toMatchObject({ pid: process.pid, url: URL });
    forgetRunningStack(dataDir);
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it('is not taken for another process that has got its number', () => {
    recordRunningStack(dataDir, URL);
    change({ processStart: '1' });
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it('is not taken for a process that is no more', () => {
    recordRunningStack(dataDir, URL);
    // The largest number that Linux gives is 2^22.
    change({ pid: 2 ** 22 + 1 });
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it('keeps a second one out, and says how to go on', async () => {
    await refuseSecondStack(dataDir);
    recordRunningStack(dataDir, URL);
    await expect(refuseSecondStack(dataDir)).rejects.toThrow(/runs already, on http:\/\/127.0.0.1:3000.*errand down/);
  });
});

describe('when a process started', () => {
  it('is the same for ever, another for another process, and unknown for none', () => {
    expect(processStart(process.pid)).toMatch(/^\d+$/);
    expect(processStart(process.pid)).toBe(processStart(process.pid));
    expect(processStart(process.pid)).not.toBe(processStart(1));
    expect(processStart(2 ** 22 + 1)).toBeUndefined();
  });
});
