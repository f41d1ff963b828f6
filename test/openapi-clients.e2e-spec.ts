import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILER, installGenerators, prepareProject, PROGRAMS, runNode } from './support/client-generators.js';
import { useStack } from './support/start-stack.js';

const installed = installGenerators();
if ('reason' in installed) console.warn(`Skipped the tests of generated clients: ${installed.reason}`);
const folder = 'folder' in installed ? installed.folder : '';
const whenInstalled = 'folder' in installed ? describe : describe.skip;

/** An error of Redocly's linter. */
interface LintResult {
  totals: { errors: number; warnings: number };
  problems: { severity: string; ruleId: string; message: string }[];
}

const KEY = 'k'.repeat(24);
const stack = useStack({ with: ['worker'], env: { ERRAND_API_KEYS: KEY } });
const program = (name: keyof typeof PROGRAMS) => join(folder, 'node_modules', PROGRAMS[name]);

whenInstalled('A client that is generated from /docs-json', () => {
  let project: string;

  beforeAll(async () => {
    project = prepareProject(folder);
    const response = await fetch(`${stack.url}/docs-json`, { headers: { authorization: `Bearer ${KEY}` } });
    writeFileSync(join(project, 'document.json'), await response.text());
    await runNode(project, [program('openapiTypescript'), 'document.json', '-o', 'generated/openapi-typescript.d.ts']);
    await runNode(project, [program('heyApi'), '-i', 'document.json', '-o', 'generated/hey-api']);
    await runNode(project, [COMPILER, '-p', '.']);
  });

  const use = async (file: string) =>
    JSON.parse(await runNode(project, [file], { ERRAND_URL: stack.url, ERRAND_API_KEY: KEY })) as unknown;
  const expected = {
    status: 'succeeded',
    result: 'hello',
    location: true,
    found: [true],
    others: 0,
    problem: 'not_found',
    tool: 'core:echo',
  };

  it('A client with the types of openapi-typescript submits, lists by metadata, follows and reads problems', async () => {
    expect(await use('compiled/use-openapi-fetch.js')).toEqual({ ...expected, lastEvent: 'end' });
  });

  it('A client of @hey-api/openapi-ts submits, lists by metadata, follows typed events and reads problems', async () => {
    const own = { called: true, ended: 'not_cancellable', lastEvent: true };
    expect(await use('compiled/use-hey-api.js')).toEqual({ ...expected, ...own });
  });

  it("Redocly's linter finds no error and no warning", async () => {
    const report = await runNode(project, [program('redocly'), 'lint', 'document.json', '--format=json']);
    const { totals, problems } = JSON.parse(report.slice(report.indexOf('{'))) as LintResult;
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
    expect(problems).toEqual([]);
  });
});
