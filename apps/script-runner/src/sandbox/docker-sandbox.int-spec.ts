import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';

describeWithDocker('DockerSandbox', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  it('x', async () => {
    console.log(
      await real.attempt(
        'python',
        'import sys,json,os\nd=json.load(sys.stdin)\nprint("hi",file=sys.stderr)\nprint("::progress 0.5 abc",file=sys.stderr)\njson.dump({"x":d,"env":dict(os.environ),"cwd":os.getcwd(),"argv":sys.argv,"path":sys.path,"fds":os.listdir("/proc/self/fd"),"pid":os.getpid(),"uid":os.getuid()},sys.stdout)',
        { input: { a: 1 } },
      ),
    );
    console.log(await real.attempt('python', '1/0'));
    console.log(
      await real.attempt(
        'bun',
        'const d = await Bun.stdin.json(); console.error("hi"); console.log(JSON.stringify({d, env: process.env, cwd: process.cwd(), argv: process.argv}))',
        { input: { a: 1 } },
      ),
    );
    console.log(await real.attempt('bun', 'throw new TypeError("boo")'));
    console.log(await real.attempt('python', 'import time; time.sleep(100)', { limits: { timeoutMs: 500 } }));
    console.log(await real.attempt('python', 'x=[]\nwhile 1: x.append("a"*1000000)', { limits: { memoryMb: 64 } }));
    console.log(
      await real.attempt('bun', 'const x=[]; while(1) x.push(new Uint8Array(1000000).fill(1))', {
        limits: { memoryMb: 128 },
      }),
    );
  });
});
