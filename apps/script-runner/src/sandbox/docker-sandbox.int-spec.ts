import { createHash } from 'node:crypto';
import { describeWithDocker, MAXIMA, RealSandbox } from '../../../../test/escapes/real-sandbox.js';

describeWithDocker('DockerSandbox', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  describe.each([
    {
      language: 'python' as const,
      echo: 'import json, sys\njson.dump(json.load(sys.stdin), sys.stdout)',
      digest: 'import hashlib, json, sys\nprint(json.dumps(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()))',
      log: 'import sys\nprint("one\\ntwo", file=sys.stderr)\nsys.stderr.write("::progress 0.4 fetching\\nunfinished")\nprint(1)',
      exit: 'import sys\nprint("last words", file=sys.stderr)\nsys.exit(7)',
      signal: 'import os\nos.kill(os.getpid(), 11)',
      raise: 'class Odd(Exception): pass\ndef f():\n    raise Odd("very")\nf()',
      raiseLate: 'import sys\nsys.exit("too late")',
      ignoresInput: 'print("true")',
      silent: 'pass',
      endless: 'while True: pass',
      print: (text: string) => `import sys\nsys.stdout.buffer.write(${text})`,
      bytes: "b'\\xff\\xfe'",
      deep: "b'[' * 100000 + b']' * 100000",
      big: "b'[1e999]'",
      two: "b'{} {}'",
      none: "b'NaN'",
    },
    {
      language: 'bun' as const,
      echo: 'console.log(JSON.stringify(await Bun.stdin.json()))',
      digest:
        'const b = await Bun.stdin.bytes(); console.log(JSON.stringify(new Bun.CryptoHasher("sha256").update(b).digest("hex")))',
      log: 'console.error("one\\ntwo"); process.stderr.write("::progress 0.4 fetching\\nunfinished"); console.log(1)',
      exit: 'console.error("last words"); process.exit(7)',
      signal: 'process.kill(process.pid, "SIGSEGV"); await Bun.sleep(10000)',
      raise: 'class Odd extends Error {}\nfunction f(): never { throw new Odd("very") }\nf()',
      raiseLate: 'void Promise.reject(new Error("too late")); await Bun.sleep(10_000)',
      ignoresInput: 'console.log("true")',
      silent: '',
      endless: 'while (true);',
      print: (text: string) => `await Bun.write(Bun.stdout, ${text})`,
      bytes: 'new Uint8Array([255, 254])',
      deep: '"[".repeat(100000) + "]".repeat(100000)',
      big: '"[1e999]"',
      two: '"{} {}"',
      none: '"NaN"',
    },
  ])('Scripts in $language', (script) => {
    const { language } = script;

    it('The sandbox returns the printed value with all its characters', async () => {
      const input = { text: 'Grüße 🎉 \u0000 "\\ \u2028', list: [1, 2.5, null, true], nested: { __proto__x: {} } };
      const { result, peakMemoryKb } = await real.attempt(language, script.echo, { input });
      expect(result).toEqual(input);
      expect(peakMemoryKb).toBeGreaterThan(1000);
    });

    it('A script gets an input of 1 MB byte for byte', async () => {
      const input = { big: 'äöü€🎉'.repeat(70_000) };
      const expected = createHash('sha256').update(JSON.stringify(input)).digest('hex');
      expect((await real.attempt(language, script.digest, { input })).result).toBe(expected);
    });

    it('A script may ignore its input', async () => {
      const input = 'x'.repeat(1_000_000);
      expect((await real.attempt(language, script.ignoresInput, { input })).result).toBe(true);
    });

    it('Log lines, an unfinished last line and progress are reported', async () => {
      const { result, log, progress } = await real.attempt(language, script.log);
      expect({ result, log, progress }).toEqual({
        result: 1,
        log: ['one', 'two', 'unfinished'],
        progress: [[0.4, 'fetching']],
      });
    });

    it('The error reports exit code, signal and uncaught exception', async () => {
      const exit = await real.attempt(language, script.exit);
      expect(exit.error).toMatchObject({
        type: 'ScriptError',
        message: 'The script ended with exit code 7',
        details: { exitCode: 7, log: 'last words' },
      });
      const signal = await real.attempt(language, script.signal);
      expect(signal.error).toMatchObject({ type: 'ScriptError', details: { signal: 'SIGSEGV' } });
      const raised = await real.attempt(language, script.raise);
      expect(raised.error).toMatchObject({
        type: 'ScriptError',
        message: 'very',
        details: { exitCode: 1, exceptionType: 'Odd' },
      });
      expect(raised.log.join('\n')).toMatch(/\/script\/main\.(py|ts)/);
      expect(raised.log.join('\n')).not.toContain('/opt/errand');
      const late = await real.attempt(language, script.raiseLate);
      expect(late.error).toMatchObject({ type: 'ScriptError', message: 'too late', details: { exitCode: 1 } });
      expect(late.log.join('\n')).toContain('too late');
      expect(late.log.join('\n')).not.toContain('/opt/errand');
    });

    it('Output that is not one JSON value is refused', async () => {
      const cases = [
        [script.silent, 'printed nothing'],
        [script.print(script.bytes), 'UTF-8'],
        [script.print(script.deep), 'deeper than 64'],
        [script.print(script.big), 'too large'],
        [script.print(script.two), 'not one JSON value'],
        [script.print(script.none), 'not one JSON value'],
      ] as const;
      for (const [source, message] of cases) {
        const { error } = await real.attempt(language, source);
        expect(error).toMatchObject({ type: 'OutputError', message: expect.stringContaining(message) });
      }
    });

    it('An endless script ends with TimeoutError', async () => {
      const { error } = await real.attempt(language, script.endless, { limits: { timeoutMs: 400 } });
      expect(error).toMatchObject({ type: 'TimeoutError', message: expect.stringContaining('400 ms') });
    });
  });

  it('A Python script runs as with `python3 main.py`', async () => {
    const { result, log } = await real.attempt('python', {
      'app/main.py': [
        'import atexit, json, os, sys, threading, base64, pickle',
        'from lib.part import name',
        'class Thing: pass',
        'pickle.loads(pickle.dumps(Thing()))',
        'atexit.register(lambda: print("at exit", file=sys.stderr))',
        'threading.Timer(0.05, lambda: print("thread", file=sys.stderr)).start()',
        'try: open("beside", "w")',
        'except OSError as e: denied = e.errno',
        'open(os.environ["ERRAND_OUT"] + "/made", "w").close()',
        'json.dump([__name__, os.getcwd(), sys.argv, sys.path[0], name, base64.mine, denied, os.getsid(0) == os.getpid()], sys.stdout)',
      ].join('\n'),
      'app/lib/part.py': 'name = __name__',
      'app/base64.py': 'mine = True',
    });
    expect(result).toEqual([
      '__main__',
      '/script/app',
      ['/script/app/main.py'],
      '/script/app',
      'lib.part',
      true,
      13,
      true,
    ]);
    expect(log).toEqual(['thread', 'at exit']);
  });

  it('A Python script ends as in the interpreter, with exit handlers, threads and finalizers', async () => {
    const source = [
      'import atexit, os, sys, threading',
      'from part import Cycle',
      'class Last:',
      '    def __del__(self): print("gone", os.getpid() > 0, file=sys.stderr)',
      'atexit.register(print, "at exit", file=sys.stderr)',
      'cycle = Cycle()',
      'unflushed = open(2, "w", closefd=False)',
      'unflushed.write("flushed\\n")',
      'last = Last()',
      'threading.Timer(0.05, print, ("thread",), {"file": sys.stderr}).start()',
      'print("7", end="")',
      'sys.exit(0)',
    ].join('\n');
    const part =
      'import sys\nclass Cycle:\n    def __init__(self): self.me = self\n    def __del__(self): print("cycle", file=sys.stderr)';
    const { result, log } = await real.attempt('python', { 'main.py': source, 'part.py': part });
    expect(result).toBe(7);
    expect(log.toSorted()).toEqual(['at exit', 'cycle', 'flushed', 'gone True', 'thread']);
    const words = await real.attempt('python', 'import sys\nsys.exit("in words")');
    expect(words).toMatchObject({ error: { details: { exitCode: 1 } }, log: ['in words'] });
    const daemon =
      'import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint(8)';
    expect(await real.attempt('python', daemon)).toMatchObject({ result: 8, log: [] });
    const noMain = 'import sys\nprint(9)\ndel sys.modules["__main__"]';
    expect(await real.attempt('python', noMain)).toMatchObject({ result: 9, log: [] });
    const ways =
      'import json, sys\nprint(json.dumps([[s.encoding, s.errors, s.line_buffering, s.fileno()] for s in (sys.stdin, sys.stdout, sys.stderr)]))';
    expect((await real.attempt('python', ways)).result).toEqual([
      ['utf-8', 'strict', false, 0],
      ['utf-8', 'strict', false, 1],
      ['utf-8', 'backslashreplace', true, 2],
    ]);
  });

  it('JavaScript tools run, and their environment has no variables of the runner', async () => {
    process.env.ERRAND_TEST_SECRET = 'must not show';
    const { result } = await real.attempt(
      'nodejs',
      'console.log(JSON.stringify([process.cwd(), Object.keys(process.env)]))',
    );
    delete process.env.ERRAND_TEST_SECRET;
    expect(result).toEqual([
      '/script',
      expect.arrayContaining(['HOME', 'TMPDIR', 'ERRAND_INVOCATION_ID', 'ERRAND_OUT']),
    ]);
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it('The log keeps 64 KiB, counts dropped lines, cuts long lines and replaces invalid UTF-8', async () => {
    const source = [
      'import sys',
      'sys.stderr.buffer.write(b"a\\xffb\\n" + b"x" * 9000 + b"\\n")',
      'for i in range(20000): print("line", i, file=sys.stderr)',
      'print(0)',
    ].join('\n');
    const { result, log } = await real.attempt('python', source);
    expect(result).toBe(0);
    expect(log[0]).toBe('a\ufffdb');
    expect(log[1]).toBe(`${'x'.repeat(8192)} … [line cut]`);
    expect(log.at(-1)).toMatch(/^\[errand\] \d+ further log lines dropped/);
    expect(Buffer.byteLength(log.join('\n'))).toBeLessThan(66 * 1024);
  });

  it('A tool cannot get higher limits than the maxima of the operator', async () => {
    const spy = await real.attempt(
      'python',
      'import json\nprint(open("/proc/self/limits").read().count("256"), end="")\nopen("/tmp/x","wb").write(bytes(30<<20))\nopen("/tmp/y","wb").write(bytes(30<<20))\nopen("/tmp/z","wb").write(bytes(10<<20))',
      {
        limits: { tmpMb: 10_000, memoryMb: 10_000 },
      },
    );
    expect(spy.error).toMatchObject({ details: { limit: 'tmpMb', tmpMb: MAXIMA.tmpMb } });
  });

  it('The log reports a rounded number, and the result is kept', async () => {
    const { result, log } = await real.attempt(
      'python',
      'print(\'{"ns": 1763759999123456789, "id": "1763759999123456789"}\')',
    );
    expect(result).toEqual({ ns: Number('1763759999123456789'), id: '1763759999123456789' });
    expect(log).toEqual([expect.stringMatching(/was rounded: print it as text/)]);
  });

  it('No limit is reported when a script survives the loss of a child process', async () => {
    const source = [
      'import subprocess, sys',
      'hog = subprocess.run([sys.executable, "-c", "x=[]\\nwhile True: x.append(bytearray(1 << 20))"])',
      'print(hog.returncode)',
    ].join('\n');
    expect(await real.attempt('python', source, { limits: { memoryMb: 64 } })).toMatchObject({ result: -9 });
  });

  it('Concurrent runs are isolated from each other', async () => {
    const source = 'import json, os, sys\nopen("/tmp/x", "x").close()\nprint(json.load(sys.stdin))';
    const runs = [1, 2, 3, 4, 5, 6].map((input) => real.attempt('python', source, { input }));
    expect((await Promise.all(runs)).map(({ result }) => result)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('A cancelled run rejects when its container is gone', async () => {
    const cancel = new AbortController();
    const attempt = await real.attempt('python', 'import sys, time\nprint("up", file=sys.stderr)\ntime.sleep(60)', {
      signal: cancel.signal,
      onLog: () => cancel.abort(),
    });
    expect(attempt.error).toMatchObject({ type: 'CancelledError' });
    expect(await real.left()).toEqual([]);
    const never = await real.attempt('python', 'print(1)', { signal: cancel.signal });
    expect(never.error).toMatchObject({ type: 'CancelledError' });
  });

  it('A bundle with paths outside of its folder is refused', async () => {
    for (const path of ['../main.py', '/etc/passwd', 'a//b.py', './main.py']) {
      const { error } = await real.attempt('python', { [path]: 'print(1)' });
      expect(error).toMatchObject({ type: 'SecurityError', message: expect.stringContaining(JSON.stringify(path)) });
    }
  });

  it('A bundle of 5 MB is accepted, and one with too many files is reported', async () => {
    const big = await real.attempt('python', {
      'main.py': 'print(len(open("data").read()))',
      data: 'x'.repeat(5_000_000),
    });
    expect(big.result).toBe(5_000_000);
    const lines = Object.fromEntries(Array.from({ length: 4200 }, (_, i) => [`f${i}`, '']));
    const many = await real.attempt('python', { 'main.py': 'print(1)', ...lines });
    expect(many.error).toMatchObject({ type: 'ResourceLimitError', message: expect.stringContaining('4096') });
  });
});
