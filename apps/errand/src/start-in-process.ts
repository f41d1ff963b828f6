import { startApi } from '../../api/src/start.js';
import { startScriptRunner } from '../../script-runner/src/start.js';
import { startWorker } from '../../worker/src/start.js';
import { Metrics, type EnvironmentVariables, type Running } from '@errand/platform';
import { startEmbeddedRedis } from './embedded-redis.js';

export interface Stack extends Running {
  url: string;
}

/**
 * Starts all of Errand in this process: Redis (unless ERRAND_REDIS_URL names one), script-runner (unless ERRAND_NO_DOCKER), worker,
 * API. Each part starts when the parts that it uses are ready. They close in the reverse order: the API accepts nothing new, the worker
 * and the script-runner finish their running jobs, and Redis ends last.
 */
export async function startStack(env: EnvironmentVariables): Promise<Stack> {
  const started: Running[] = [];
  const metrics = new Metrics();
  const close = async () => {
    for (const part of started.toReversed()) await part.close();
  };
  const start = async <T extends Running>(starting: Promise<T>): Promise<T> => {
    const part = await starting;
    started.push(part);
    return part;
  };
  try {
    const url = env['ERRAND_REDIS_URL'] || (await start(startEmbeddedRedis(env['ERRAND_DATA_DIR'] || '.errand'))).url;
    // The parts need no health ports, because /readyz of the API covers the whole process.
    const shared = { ...env, ERRAND_REDIS_URL: url, ERRAND_HEALTH_PORT: '0' };
    if (!isWithoutDocker(env)) await start(startScriptRunner(shared, metrics));
    await start(startWorker(shared, metrics));
    const api = await start(startApi(shared, metrics));
    return { url: api.url, close, runningJobs: () => started.flatMap((part) => part.runningJobs?.() ?? []) };
  } catch (error) {
    await close();
    throw error;
  }
}

const isWithoutDocker = (env: EnvironmentVariables) => ['1', 'true'].includes(env['ERRAND_NO_DOCKER'] ?? '');
