import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { readArchive } from './read-archive.js';

interface Run {
  artifactBytes?: number;
  reuse?: string;
}

describeWithDocker('Artifacts of a script', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  async function run(language: 'python' | 'bun', source: string, { artifactBytes = 100_000, reuse }: Run = {}) {
    let archive: Buffer | undefined;
    const onArchive = (bytes: Buffer) => (archive = bytes);
    const attempt = await real.attempt(language, source, { artifactBytes, onArchive, ...(reuse && { reuse }) });
    const { files, unnamable } = archive ? await readArchive(archive) : { files: [], unnamable: [] };
    const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { ...attempt, files: inOrder.map(({ name, bytes }) => [name, bytes.toString()]), unnamable };
  }

  const python = {
    language: 'python' as const,
    start: 'import json, os\nout = os.environ["ERRAND_OUT"]\n',
    write: (name: string, text: string) =>
      `os.makedirs(os.path.dirname(f"{out}/${name}"), exist_ok=True)\nopen(f"{out}/${name}", "w").write(${text})\n`,
    traps: 'os.symlink("/etc/passwd", f"{out}/link")\nos.symlink("/etc", f"{out}/folder")\nos.mkfifo(f"{out}/fifo")\n',
    end: 'print(json.dumps("done"))\n',
    fail: 'raise ValueError("no")\n',
    repeat: (text: string, times: number) => `"${text}" * ${times}`,
    gone: 'os.rmdir(out)\n',
    elsewhere: 'os.rmdir(out); os.symlink("/opt/errand", out)\n',
    closed: 'os.mkdir(f"{out}/d"); open(f"{out}/d/f", "w").close(); os.chmod(f"{out}/d", 0)\n',
    deep: 'os.chdir(out)\nfor _ in range(1500): os.mkdir("d"); os.chdir("d")\n',
    swap: 'import time\nif os.fork() == 0:\n  while True: os.symlink("/opt/errand", f"{out}/d"); os.unlink(f"{out}/d"); os.mkdir(f"{out}/d"); os.rmdir(f"{out}/d")\ntime.sleep(0.05)\n',
    many: 'for i in range(300): open(f"{out}/{i}", "w").close()\n',
  };
  const bun = {
    language: 'bun' as const,
    start:
      'import * as fs from "node:fs"; import { execFileSync } from "node:child_process"; import { dirname } from "node:path";\nconst out = process.env.ERRAND_OUT!;\n',
    write: (name: string, text: string) =>
      `fs.mkdirSync(dirname(out + "/${name}"), { recursive: true }); fs.writeFileSync(out + "/${name}", ${text});\n`,
    traps:
      'fs.symlinkSync("/etc/passwd", out + "/link"); fs.symlinkSync("/etc", out + "/folder"); execFileSync("mkfifo", [out + "/fifo"]);\n',
    end: 'console.log(JSON.stringify("done"));\n',
    fail: 'throw new Error("no");\n',
    repeat: (text: string, times: number) => `"${text}".repeat(${times})`,
    gone: 'fs.rmdirSync(out);\n',
    elsewhere: 'fs.rmdirSync(out); fs.symlinkSync("/opt/errand", out);\n',
    closed: 'fs.mkdirSync(out + "/d"); fs.writeFileSync(out + "/d/f", ""); fs.chmodSync(out + "/d", 0);\n',
    deep: 'process.chdir(out); for (let i = 0; i < 1500; i++) { fs.mkdirSync("d"); process.chdir("d"); }\n',
    swap: 'const at = JSON.stringify(out + "/d"); Bun.spawn([process.execPath, "-e", `const fs = require("fs"); for (;;) { fs.symlinkSync("/opt/errand", ${at}); fs.unlinkSync(${at}); fs.mkdirSync(${at}); fs.rmdirSync(${at}); }`]).unref(); await Bun.sleep(50);\n',
    many: 'for (let i = 0; i < 300; i++) fs.writeFileSync(out + "/" + i, "");\n',
  };

  describe.each([python, bun])('Scripts in $language', (script) => {
    const { language, start, write, end } = script;

    it('The artifacts are the files in the output folder, also after the script failed', async () => {
      const files = write('a.txt', '"hello"') + write('charts/ö b.svg', '"<svg>"') + write('empty', '""');
      const expected = [
        ['a.txt', 'hello'],
        ['charts/ö b.svg', '<svg>'],
        ['empty', ''],
      ];
      expect(await run(language, start + files + end)).toMatchObject({ result: 'done', files: expected, log: [] });
      const failed = await run(language, start + files + script.fail);
      expect(failed).toMatchObject({ error: { type: 'ScriptError' }, files: expected });
    });

    it('Each run of a shared container returns its own files', async () => {
      for (const name of ['first.txt', 'second.txt']) {
        const { result, error, files } = await run(language, start + write(name, '"x"') + end, { reuse: language });
        expect({ result, error, files }).toEqual({ result: 'done', error: undefined, files: [[name, 'x']] });
      }
    });

    it('Links and special files are not artifacts, and the log names them', async () => {
      const { result, files, log } = await run(language, start + write('a.txt', '"a"') + script.traps + end);
      expect({ result, files }).toEqual({ result: 'done', files: [['a.txt', 'a']] });
      expect(log.at(-1)).toMatch(/^\[errand\] not returned, because they are not regular files: /);
      expect(log.at(-1)).toMatch(/link/);
      expect(log.at(-1)).toMatch(/fifo/);
    });

    it('Files with invalid names are reported and not stored', async () => {
      const [folder, name] = ['f'.repeat(120), 'n'.repeat(120)];
      const files = write('a.txt', '"a"') + write(`${folder}/${name}`, '"deep"') + write('y'.repeat(220), '"long"');
      const handedOut = await run(language, start + files + end);
      expect(handedOut).toMatchObject({ result: 'done', files: [['a.txt', 'a']] });
      expect(handedOut.unnamable.toSorted()).toEqual([`${'f'.repeat(40)}…`, `${'y'.repeat(40)}…`]);
    });

    it('A removed, linked, closed or changing output folder gives no artifacts', async () => {
      for (const what of [script.gone, script.elsewhere, script.closed, script.swap]) {
        const { result, files } = await run(language, start + what + end);
        expect({ what, result, files }).toEqual({ what, result: 'done', files: [] });
      }
    });

    it('The error names the limit that a script exceeded', async () => {
      const big = await run(language, start + write('big', script.repeat('x', 100_001)) + end);
      expect(big).toMatchObject({ files: [], error: { type: 'ResourceLimitError', details: { limit: 'artifactKb' } } });
      const many = await run(language, start + script.many + end);
      expect(many).toMatchObject({ files: [], error: { type: 'ResourceLimitError', details: { limit: 'artifacts' } } });
      const deep = await run(language, start + script.deep + end);
      expect(deep).toMatchObject({ error: { type: 'ResourceLimitError', details: { artifactDepth: 32 } } });
    });

    it('A run without artifacts ignores the output folder', async () => {
      const attempt = await real.attempt(language, start + write('a.txt', '"a"') + end);
      expect(attempt.result).toBe('done');
    });
  });
});
