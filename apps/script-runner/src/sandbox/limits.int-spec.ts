import type { Json } from '@errand/contracts';
import { describeWithDocker, MAXIMA, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { BOUNDS } from './limits.js';
import { memoryHeld } from '../../../../test/support/memory-held.js';

const LIMITS = { memoryMb: 96, pids: 24, outputKb: 2, tmpMb: 2, timeoutMs: 60_000 };

interface Case {
  limit: string;
  /** The value of the limit in the error message. */
  value: string;
  type?: string;
  limits?: Partial<typeof LIMITS>;
  python: string;
  bun: string;
}

/** Each limit, exceeded in both languages. */
const CASES: Case[] = [
  {
    limit: 'timeoutMs',
    value: '300 ms',
    type: 'TimeoutError',
    limits: { timeoutMs: 300 },
    python: 'import time\ntime.sleep(60)',
    bun: 'await Bun.sleep(60_000)',
  },
  {
    limit: 'cpuMs',
    value: '500 ms',
    python: 'while True: pass',
    bun: 'while (true);',
  },
  {
    limit: 'cpuMs',
    value: '500 ms',
    python: 'import os\nfor _ in range(3): os.fork()\nwhile True: pass',
    bun: 'for (let i = 0; i < 4; i++) Bun.spawn([process.execPath, "-e", "while (true);"]);\nawait Bun.sleep(60_000)',
  },
  {
    limit: 'memoryMb',
    value: '96 MB',
    python: 'x = []\nwhile True: x.append(bytearray(1 << 20))',
    bun: 'const x = [];\nwhile (true) x.push(new Uint8Array(1 << 20).fill(1));',
  },
  {
    limit: 'memoryMb',
    value: '96 MB',
    python: 'bytearray(1 << 50)',
    bun: 'new Uint8Array(2 ** 36).fill(1);',
  },
  {
    limit: 'pids',
    value: '24 processes',
    python:
      'import threading, time\nfor _ in range(50): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()',
    bun: 'for (let i = 0; i < 50; i++) Bun.spawn(["sleep", "5"]);',
  },
  {
    // The whole container dies, and its counters are lost.
    limit: 'pids',
    value: '24 processes',
    python:
      'import os, signal, sys\ntry:\n  while True: os.fork() or signal.pause()\nexcept OSError as e: print(e, file=sys.stderr, flush=True); os.kill(-1, signal.SIGKILL)',
    bun: 'try { for (;;) Bun.spawn(["sleep", "60"]); } catch (e) { console.error(String(e)); process.kill(-1, "SIGKILL"); }',
  },
  {
    limit: 'openFiles',
    value: '256 files',
    python: 'x = [open("/dev/null") for _ in range(300)]',
    bun: 'import { openSync } from "node:fs";\nfor (let i = 0; i < 300; i++) openSync("/dev/null");',
  },
  {
    limit: 'fileMb',
    value: '32 MB',
    limits: { tmpMb: 64, memoryMb: 256 },
    python: 'open("/tmp/big", "wb").write(bytes(33 << 20))',
    bun: 'import { writeFileSync } from "node:fs";\nwriteFileSync("/tmp/big", Buffer.alloc(33 << 20));',
  },
  {
    limit: 'tmpMb',
    value: '2 MB',
    python: 'open("/tmp/full", "wb").write(bytes(3 << 20))',
    bun: 'import { writeFileSync } from "node:fs";\nwriteFileSync("/tmp/full", Buffer.alloc(3 << 20));',
  },
  {
    limit: 'tmpMb',
    value: '4096 files',
    python: 'for i in range(5000): open(f"/tmp/{i}", "w").close()',
    bun: 'import { writeFileSync } from "node:fs";\nfor (let i = 0; i < 5000; i++) writeFileSync(`/tmp/${i}`, "");',
  },
  {
    limit: 'outputKb',
    value: '2 KiB',
    python: 'print("x" * 3000)',
    bun: 'console.log("x".repeat(3000))',
  },
  {
    limit: 'outputKb',
    value: '2 KiB',
    python: 'import sys\nwhile True: sys.stdout.write("x" * 65536)',
    bun: 'const line = "x".repeat(65536);\nwhile (true) await Bun.write(Bun.stdout, line);',
  },
  {
    limit: 'log',
    value: '8 MiB',
    python: 'import sys\nwhile True: sys.stderr.write("x" * 65536)',
    bun: 'const line = "x".repeat(65536);\nwhile (true) await Bun.write(Bun.stderr, line);',
  },
];

describeWithDocker('Every limit of the sandbox', () => {
  const real = new RealSandbox();
  // Only the operator sets this limit. A slow machine needs more for the other cases.
  const stingy = new RealSandbox({ maxima: { ...MAXIMA, cpuMs: 500 } });
  beforeAll(() => real.require());
  afterAll(async () => {
    for (const { sandbox } of [real, stingy]) await sandbox.close();
    expect([...(await real.left()), ...(await stingy.left())]).toEqual([]);
  });

  describe.each(['python', 'bun'] as const)('Scripts in %s', (language) => {
    let before = 0;
    beforeAll(() => (before = memoryHeld()));

    it.each(CASES)(
      'The error names the limit $limit of $value',
      async ({ limit, value, type = 'ResourceLimitError', limits, ...sources }) => {
        const own = limit === 'cpuMs' ? stingy : real;
        const { error } = await own.attempt(language, sources[language], { limits: { ...LIMITS, ...limits } });
        expect(error).toMatchObject({ type, message: expect.stringContaining(value), details: { limit } });
      },
    );

    it('The runner holds no memory of the scripts that exceeded a limit', () => {
      expect((memoryHeld() - before) / 1024 / 1024).toBeLessThan(80);
    });

    it('An input that is too large or too deep is refused before the script starts', async () => {
      const large = await real.attempt(language, 'never', { input: 'x'.repeat(BOUNDS.inputKb * 1024) });
      expect(large.error).toMatchObject({
        type: 'ResourceLimitError',
        message: expect.stringContaining('8192 KiB'),
        details: { limit: 'inputKb', inputKb: 8192 },
      });
      let deep: Json = 1;
      for (let level = 0; level < 100; level++) deep = { deep };
      expect((await real.attempt(language, 'never', { input: deep })).error).toMatchObject({
        type: 'ResourceLimitError',
        message: expect.stringContaining('64 levels'),
        details: { limit: 'inputDepth' },
      });
    });
  });
});
