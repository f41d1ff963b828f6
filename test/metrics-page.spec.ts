import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** The names of all metrics in the source files of apps and libs. */
function metricNames(): string[] {
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('spec.ts'))
      .map((path) => join(ROOT, folder, path)),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bname: '(errand_\w+)'/g)].map(([, name]) => name!),
  );
  return [...new Set(names)].toSorted();
}

it('The search for metrics in the source files finds some', () => {
  expect(metricNames()).toContain('errand_queue_jobs');
});

it.each(metricNames())('docs/operations.md describes the metric %s', (name) => {
  expect(PAGE).toContain(name);
});
