import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStart } from './processes.js';
import { findRunningStack, removeRunningStack, recordRunningStack, refuseSecondStack } from './running-stack.js';

const URL = 'http://127.0.0.1:3000';

describe('The running stack of a data folder', () => {
  let dataDir: string;
  const file = () => join(dataDir, 'up.json');
  const recorded = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
  const change = (fields: object) => writeFileSync(file(), JSON.stringify({ ...recorded(), ...fields }));

  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'errand-up-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('A stack is found while its process lives, and not after its record is removed', () => {
    expect(findRunningStack(dataDir)).toBeUndefined();
    recordRunningStack(dataDir, URL);
    expect(findRunningStack(dataDir)).toMatchObject({ pid: process.pid, url: URL });
    removeRunningStack(dataDir);
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it('A stack is not found if another process has its pid now', () => {
    recordRunningStack(dataDir, URL);
    change({ processStart: '1' });
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it('A stack is not found if its process has ended', () => {
    recordRunningStack(dataDir, URL);
    // The largest pid on Linux is 2^22.
    change({ pid: 2 ** 22 + 1 });
    expect(findRunningStack(dataDir)).toBeUndefined();
  });

  it.each(['{', 'null', '{"pid": 1}', '{"url": "http://127.0.0.1:3000", "pid": "1"}'])(
    'A record that cannot be understood is refused with a hint: %s',
    (text) => {
      writeFileSync(file(), text);
      expect(() => findRunningStack(dataDir)).toThrow(
        expect.objectContaining({ hint: true, message: expect.stringContaining(`${file()} cannot be understood`) }),
      );
    },
  );

  it('A second stack on the same data folder is refused with a hint', async () => {
    await refuseSecondStack(dataDir);
    recordRunningStack(dataDir, URL);
    await expect(refuseSecondStack(dataDir)).rejects.toThrow(/already runs on http:\/\/127.0.0.1:3000.*errand down/);
  });
});

describe('The start time of a process', () => {
  it('The start time of a process is constant, different for other processes, and undefined without a process', () => {
    expect(processStart(process.pid)).toMatch(/^\d+$/);
    expect(processStart(process.pid)).toBe(processStart(process.pid));
    expect(processStart(process.pid)).not.toBe(processStart(1));
    expect(processStart(2 ** 22 + 1)).toBeUndefined();
  });
});
