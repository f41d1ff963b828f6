import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostRegistry } from './host-registry.js';

const path = process.env['PATH'];
const folder = mkdtempSync(join(tmpdir(), 'errand-npm-'));
afterAll(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});

it('hostRegistry asks npm, and without npm the hint names the setting', async () => {
  process.env['PATH'] = folder;
  await expect(hostRegistry()).rejects.toMatchObject({
    type: 'DependencyError',
    hint: expect.stringContaining('ERRAND_NPM_REGISTRY'),
  });
  writeFileSync(
    join(folder, 'npm'),
    '#!/bin/sh\n[ "$*" = "config get registry" ] && echo https://packages.example/npm\n',
    {
      mode: 0o755,
    },
  );
  await expect(hostRegistry()).resolves.toBe('https://packages.example/npm');
  rmSync(join(folder, 'npm'));
  await expect(hostRegistry()).resolves.toBe('https://packages.example/npm');
});
