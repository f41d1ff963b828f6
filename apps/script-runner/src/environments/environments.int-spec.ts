import { ToolError, type Json, type Language } from '@errand/contracts';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { until } from '../../../../test/escapes/until.js';
import { PackageIndex } from '../../test/package-index.js';
import { evictEnvironments } from './evict-environments.js';
import { Environments, openPackageProxy } from './index.js';

/** Different from all other suites and runs, so that no image of an earlier test exists. */
const FRESH = `# ${process.pid} ${Date.now()}\n`;

describeWithDocker('Environments', () => {
  const real = new RealSandbox();
  const proxy = openPackageProxy();
  const made = new Set<string>();
  let index: PackageIndex;

  beforeAll(async () => {
    await real.require();
    index = await PackageIndex.open();
    await index.addWheel(real, 'wonder', { 'wonder/__init__.py': 'from marvel import word\nsay = lambda: word\n' }, [
      'marvel',
    ]);
    await index.addWheel(real, 'marvel', { 'marvel.py': 'word = "marvellous"\n' });
    await index.addSourceArchive(
      'builder',
      'open("/tmp/ran", "w"); from setuptools import setup; setup(name="builder", version="1.0.0")',
    );
    await index.addNpmPackage(
      'wonder-js',
      { dependencies: { 'marvel-js': '^1.0.0' } },
      {
        'index.js': 'module.exports = () => require("marvel-js").word',
      },
    );
    await index.addNpmPackage(
      'marvel-js',
      { scripts: { postinstall: 'echo "module.exports.word = `ran`" > index.js' } },
      {
        'index.js': 'exports.word = "marvellous"',
      },
    );
  });
  afterAll(async () => {
    index.close();
    proxy.close();
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
    for (const image of made) await real.docker.getImage(image).remove({ force: true });
  });

  function environments(sandbox = real.sandbox): Environments {
    const sources = { pipIndexUrl: `${index.url}/simple`, npmRegistry: index.url, hosts: [], runScripts: false };
    return new Environments({ docker: real.docker, sandbox, images: real.images, sources, proxy, maxBytes: 1e12 });
  }

  interface Outcome {
    result?: Json;
    error?: ToolError;
    log: string[];
    image?: string;
  }

  /** Runs a script with its dependencies, like the runner. */
  async function run(language: Language, files: Record<string, string>, by = environments()): Promise<Outcome> {
    const log: string[] = [];
    const bundle = {
      language,
      entry: Object.keys(files)[0]!,
      files: Object.entries(files).map(([path, text]) => ({ path, base64: Buffer.from(text).toString('base64') })),
    };
    const waiter = { signal: new AbortController().signal, onLog: (lines: string[]) => void log.push(...lines) };
    try {
      const dependencies = await by.prepare(bundle, waiter);
      if (dependencies?.image) made.add(dependencies.image);
      const spec = { invocationId: 'inv_test', step: 0, toolId: 'test:script', bundle, input: {}, limits: {} };
      return {
        log,
        ...(dependencies && { image: dependencies.image }),
        result: await real.sandbox.run({ ...spec, ...dependencies }, waiter),
      };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return { log, error };
    }
  }

  const PYTHON = 'import json, wonder\nprint(json.dumps(wonder.say()))';
  const BUN = 'import wonder from "wonder-js";\nconsole.log(JSON.stringify(wonder()))';
  const dependencies = JSON.stringify({
    name: `fresh-${process.pid}-${Date.now()}`,
    dependencies: { 'wonder-js': '1.0.0' },
  });

  it('A script without dependencies runs without an environment', async () => {
    const { image, log, result } = await run('python', { 'main.py': 'print(1)', 'requirements.txt': '# none\n' });
    expect({ image, log, result }).toEqual({ image: undefined, log: [], result: 1 });
  });

  it.each([
    ['requirements.txt', { 'main.py': PYTHON, 'requirements.txt': `${FRESH}wonder\n` }],
    [
      'pyproject.toml',
      {
        'main.py': PYTHON,
        'pyproject.toml': `${FRESH}[project]\nname = "x"\nversion = "1"\ndependencies = ["wonder>=1"]\n`,
      },
    ],
  ])(
    'The dependencies in %s are installed with their own dependencies, and the log says so',
    async (manifest, files) => {
      const { result, log, error } = await run('python', files);
      expect({ result, error }).toEqual({ result: 'marvellous' });
      expect(log[0]).toBe(`[errand] installing the dependencies of ${manifest}`);
      expect(log.join('\n')).toMatch(/\[errand\] Successfully installed .*wonder-1\.0\.0/);
    },
  );

  it('npm packages are installed for scripts in subfolders, and their install scripts do not run', async () => {
    const { result, log, error } = await run('bun', { 'src/main.ts': BUN, 'package.json': dependencies });
    expect({ result, error }).toEqual({ result: 'marvellous' });
    expect(log[0]).toBe('[errand] installing the dependencies of package.json');
  });

  it('Concurrent and later runs, also of other processes, share one installation', async () => {
    const files = { 'main.py': PYTHON, 'requirements.txt': `${FRESH}# once\nwonder\n` };
    const other = new RealSandbox();
    index.asked.length = 0;
    const [here, there] = [environments(), environments(other.sandbox)];
    const runs = await Promise.all([here, here, there, there].map((by) => run('python', files, by)));
    expect(runs.map(({ result }) => result)).toEqual(Array(4).fill('marvellous'));
    expect(index.asked.filter((path) => path.startsWith('/wheels/wonder'))).toHaveLength(1);
    expect(await run('python', { ...files, 'main.py': `# edited\n${PYTHON}` })).toMatchObject({
      result: 'marvellous',
      log: [],
    });
    await other.sandbox.close();
    expect(await other.left()).toEqual([]);
  });

  it("A package without a wheel is not built, and the DependencyError has the end of the installer's log", async () => {
    const { error } = await run('python', { 'main.py': 'print(1)', 'requirements.txt': `${FRESH}builder\n` });
    expect(error).toMatchObject({
      type: 'DependencyError',
      message: expect.stringMatching(
        /^The dependencies in requirements\.txt could not be installed: ERROR: No matching distribution found for builder/,
      ),
      details: { manifest: 'requirements.txt', log: expect.stringContaining('builder') },
    });
  });

  it('An installation reaches only the package index', async () => {
    const elsewhere = `${FRESH}other @ http://files.example/other-1.0.0-py3-none-any.whl\n`;
    const { error } = await run('python', { 'main.py': 'print(1)', 'requirements.txt': elsewhere });
    expect(error).toMatchObject({ type: 'DependencyError', details: { log: expect.stringMatching(/403/) } });
  });

  it('The versions of npm packages must match the lock file', async () => {
    const workspaces = { '': { name: 'x', dependencies: { 'marvel-js': '1.0.0' } } };
    const packages = { 'marvel-js': ['marvel-js@1.0.0', '', {}, `sha512-${'A'.repeat(86)}==`] };
    const lock = JSON.stringify({ lockfileVersion: 1, workspaces, packages });
    const { error } = await run('bun', { 'main.ts': BUN, 'package.json': dependencies, 'bun.lock': lock });
    expect(error).toMatchObject({ type: 'DependencyError', message: expect.stringMatching(/lockfile is frozen/) });
  });

  it('A run cannot write to its environment', async () => {
    const files = {
      'main.py':
        'import json\ntry: open("/opt/errand/site/marvel.py", "w")\nexcept OSError as e: print(json.dumps(e.strerror))',
      'requirements.txt': `${FRESH}wonder\n`,
    };
    expect((await run('python', files)).result).toBe('Read-only file system');
  });

  it('An environment is removed when the limit is exceeded, but not while a run uses it', async () => {
    const { image } = await run('python', { 'main.py': PYTHON, 'requirements.txt': `${FRESH}# one\nwonder\n` });
    const isThere = () => real.docker.getImage(image!).inspect().then(() => true, () => false); // prettier-ignore
    const ending = new AbortController();
    const using = new Promise<void>((resolve, reject) => {
      const files = [{ path: 'main.py', base64: Buffer.from('import time\ntime.sleep(60)').toString('base64') }];
      const bundle = { language: 'python', entry: 'main.py', files } as const;
      const spec = { invocationId: 'inv_test', step: 0, toolId: 'test:script', input: {}, limits: {}, image };
      const hooks = { signal: ending.signal, onLog: () => {}, onContainer: () => resolve() };
      real.sandbox.run({ ...spec, bundle: { ...bundle, files } }, hooks).catch(reject);
    });
    await using;
    await evictEnvironments(real.docker, { maxBytes: 0, keep: '' });
    expect(await isThere()).toBe(true);
    ending.abort();
    await real.sandbox.idle();
    await evictEnvironments(real.docker, { maxBytes: 0, keep: '' });
    expect(await isThere()).toBe(false);
    for (const one of made) await real.docker.getImage(one).inspect().catch(() => made.delete(one)); // prettier-ignore
  });

  it('An environment that was removed by hand is installed again', async () => {
    const by = environments();
    const files = { 'main.py': PYTHON, 'requirements.txt': `${FRESH}# removed\nwonder\n` };
    const { image } = await run('python', files, by);
    await real.docker.getImage(image!).remove({ force: true });
    // The runner may still expect the image for a moment. The run then fails with an error that can be retried.
    const first = await run('python', files, by);
    if (first.error)
      expect(first.error).toMatchObject({ type: 'ServiceError', message: expect.stringContaining(image!) });
    await until('the environment exists again', async () => (await run('python', files, by)).result === 'marvellous');
  });

  it('A cancelled run ends at once, and the installation continues for later runs', async () => {
    const aborting = new AbortController();
    const bundle = {
      language: 'python' as const,
      entry: 'main.py',
      files: [
        { path: 'main.py', base64: Buffer.from(PYTHON).toString('base64') },
        { path: 'requirements.txt', base64: Buffer.from(`${FRESH}# cancelled\nwonder\n`).toString('base64') },
      ],
    };
    const by = environments();
    const waiting = by.prepare(bundle, { signal: aborting.signal, onLog: () => aborting.abort() });
    await expect(waiting).rejects.toMatchObject({ type: 'CancelledError' });
    const { image } = (await by.prepare(bundle, { signal: new AbortController().signal, onLog: () => {} }))!;
    made.add(image!);
    expect(image).toMatch(/^errand-environment:[0-9a-f]{32}$/);
  });
});
