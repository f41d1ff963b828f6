import { DEFAULT_LABEL } from '@errand/contracts';
import { readinessOf, type Logger, type Readiness } from '@errand/platform';
import { countRunners, countWorkers, type Queues } from '@errand/queue';
import type { Registry } from '@errand/registry';

/** The answer of `GET /readyz`, with the number of live script-runners by label. */
type ApiReadiness = Readiness & { runners?: Record<string, number> };

const NO_WORKER = 'no worker is alive: accepted invocations wait until one starts';
const NO_RUNNER = 'no script-runner is alive: scripts wait until one starts';
const NO_FITTING_RUNNER = 'no script-runner that is alive takes some of the scripts: they wait until one starts';

/**
 * Whether the API accepts submissions, and who takes the accepted work. Only Redis decides on `ready`: accepted work is stored, and so an
 * API without workers must still get requests. Strangers may read the answer, so it names no address, no tool and no error of a library.
 */
export async function readReadiness(
  queues: Queues,
  registry: Pick<Registry, 'list'>,
  logger: Pick<Logger, 'warn'>,
): Promise<ApiReadiness> {
  const report = (err: unknown) => logger.warn({ err }, 'not ready');
  const [redis, workers, runners] = await Promise.all([
    queues.checkWrites(report),
    countWorkers(queues).catch(() => undefined),
    countRunners(queues).catch(() => undefined),
  ]);
  const { ready, checks } = readinessOf({ redis });
  const scripts = runners && judgeRunners(neededLabels(registry), runners);
  return {
    ready,
    checks: {
      ...checks,
      ...(workers !== undefined && { workers: workers > 0 ? 'ok' : NO_WORKER }),
      ...(scripts !== undefined && { scriptRunners: scripts }),
    },
    ...(runners && { runners }),
  };
}

/** The labels that the scripts of the library need. The tools of `core` are always there, and run only scripts of the library. */
function neededLabels(registry: Pick<Registry, 'list'>): Set<string> {
  const scripts = registry.list({ kind: 'script' }).filter(({ implementation }) => implementation.type === 'script');
  return new Set(scripts.map(({ runner }) => runner ?? DEFAULT_LABEL));
}

/** Undefined if no script-runner is needed. */
function judgeRunners(needed: ReadonlySet<string>, alive: Record<string, number>): string | undefined {
  const missing = [...needed].filter((label) => !alive[label]);
  if (needed.size === 0) return undefined;
  if (missing.length === 0) return 'ok';
  return missing.length === needed.size ? NO_RUNNER : NO_FITTING_RUNNER;
}
