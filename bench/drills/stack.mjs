import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort, startRedis } from '../measure.mjs';
import { LABEL } from './kinds.mjs';

const mainOf = (app) => fileURLToPath(new URL(`../../dist/apps/${app}/src/main.js`, import.meta.url));
const WAIT_MS = 50;

/** Jobs of a dead process are taken over within two seconds; every script-runner takes every script. */
const SETTINGS = { ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500', ERRAND_RUNNER_LABELS: `default,${LABEL}` };

/** Resolves when the log of the process reports readiness, or with the log if the process has ended. Drops the later log. */
function untilReady(child, app) {
  return new Promise((resolve) => {
    let said = '';
    const read = (chunk) => {
      said += chunk;
      if (!said.includes(`${app} ready`)) return;
      child.stderr.off('data', read).resume();
      resolve(undefined);
    };
    child.stderr.on('data', read).on('end', () => resolve(said));
  });
}

/** A complete Errand for one chaos test: Redis, the API, workers, script-runners. Each of them can be killed and restarts. */
export class Stack {
  #processes = new Map();
  #ports = new Map();
  #ended = false;

  constructor(redis, env) {
    this.redis = redis;
    this.env = { PATH: process.env.PATH, ...SETTINGS, ERRAND_REDIS_URL: redis.url, ...env };
  }

  /** The address of each API. */
  get urls() {
    return [...this.#ports.values()].map((port) => `http://127.0.0.1:${port}`);
  }

  get url() {
    return this.urls[0];
  }

  /**
   * @param apps the processes to start, such as `['api', 'worker', 'worker']`
   * @param redis the servers, or when the only one syncs a write to disk (startRedis)
   */
  static async start(apps, env, redis) {
    const stack = new Stack(typeof redis === 'object' ? redis : await startRedis(redis), env);
    const names = apps.map((app, n) => [`${app} ${n}`, app]);
    for (const [name, app] of names) if (app === 'api') stack.#ports.set(name, await freePort());
    // No process outlives the chaos test, however it ends.
    process.once('exit', () => stack.#killAll());
    process.once('SIGTERM', () => process.exit(143));
    await Promise.all(names.map(([name, app]) => stack.#spawn(name, app)));
    return stack;
  }

  /** The names of the processes that can be killed. */
  get names() {
    return [...this.#processes.keys(), 'redis'];
  }

  /** Kills a process (SIGKILL) and restarts it after `awayMs`. Resolves when it is ready. */
  async kill(name, awayMs) {
    if (name === 'redis') await this.redis.kill();
    else await this.#kill(name);
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    if (name === 'redis') await this.redis.restart();
    else await this.#spawn(name, name.split(' ')[0]);
  }

  /** Stops everything. Script-runners stop first, with SIGTERM, so that they remove their containers. */
  async stop() {
    this.#ended = true;
    const names = [...this.#processes.keys()];
    await Promise.all(
      names.filter((name) => name.startsWith('script-runner')).map((name) => this.#kill(name, 'SIGTERM')),
    );
    await Promise.all([...this.#processes.keys()].map((name) => this.#kill(name)));
    await this.redis.stop();
  }

  /** Starts a process again if it fails because Redis is away, like a process supervisor. */
  async #spawn(name, app) {
    while (!this.#ended) {
      const env = { ...this.env, ...(this.#ports.has(name) && { ERRAND_PORT: String(this.#ports.get(name)) }) };
      // A test may give Node.js a hook that makes starts cheaper.
      const child = spawn(process.execPath, [...process.execArgv, mainOf(app)], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      this.#processes.set(name, child);
      const said = await untilReady(child, app);
      if (said === undefined) return;
      if (!/Redis|ECONN|Connection is closed|LOADING|timed out/.test(said))
        throw new Error(`${name} did not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  #killAll() {
    for (const child of this.#processes.values()) child.kill('SIGKILL');
    void this.redis.stop();
  }

  async #kill(name, signal = 'SIGKILL') {
    const child = this.#processes.get(name);
    this.#processes.delete(name);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }
}
