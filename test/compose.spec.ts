import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SETTINGS, API_SETTINGS, SCRIPT_RUNNER_SETTINGS, WORKER_SETTINGS } from '@errand/platform';
import { parse } from 'yaml';

interface Service {
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  build?: { dockerfile: string; target?: string };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  networks?: string[];
  group_add?: string[];
}

const ROOT = join(__dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, object>;
};
const PROCESSES = ['api', 'worker', 'script-runner'] as const;
const serviceOf = (name: string): Service => {
  const service = compose.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
};
const environmentOf = (name: string) => serviceOf(name).environment ?? {};

/** Replaces `${NAME}` and `${NAME:-default}` like docker-compose. */
const substitute = (text: string, env: Record<string, string> = {}) =>
  text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = '') => env[name] || fallback);

const TABLES = { api: API_SETTINGS, worker: WORKER_SETTINGS, 'script-runner': SCRIPT_RUNNER_SETTINGS } as const;
/** Settings that describe the inside of a container. A person sets what the container sees through a mount or a published port. */
const OF_CONTAINER: Record<string, string> = {
  ERRAND_LIBRARY: '/library',
  ERRAND_DATA_DIR: '/tmp/errand',
  ERRAND_HOST: '0.0.0.0',
  ERRAND_PORT: '3000',
  ERRAND_HEALTH_HOST: '0.0.0.0',
  ERRAND_HEALTH_PORT: '3001',
  ERRAND_SECRETS_DIR: '/run/errand-secrets',
};

describe.each(PROCESSES)('The service %s of docker-compose.yml', (name) => {
  const given = environmentOf(name);

  it('The service gets every setting of its process, and no others', () => {
    const wanted = Object.keys(TABLES[name]);
    // The health servers of all processes have the same rules of access.
    const unknown = Object.keys(given).filter((setting) => !(setting in ALL_SETTINGS));
    expect(Object.keys(given)).toEqual(expect.arrayContaining(wanted));
    expect(unknown).toEqual([]);
  });

  it('Each setting can be given through an env file', () => {
    const fixed = Object.entries(given).filter(([setting, value]) => !value.includes(`\${${setting}:-`));
    expect(Object.fromEntries(fixed)).toEqual(
      Object.fromEntries(Object.entries(OF_CONTAINER).filter(([setting]) => setting in given)),
    );
  });

  it('The values without an env file are valid', () => {
    const table = TABLES[name] as typeof ALL_SETTINGS;
    for (const [setting, value] of Object.entries(given)) {
      const text = substitute(value).trim();
      if (text !== '') expect(() => table[setting]?.parse(text)).not.toThrow();
    }
  });

  it('The service is read-only, without capabilities and new privileges', () => {
    expect(serviceOf(name)).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      networks: ['inside', 'outside'],
    });
  });

  it('The image of the service has a health check that asks /readyz', () => {
    const stage =
      new RegExp(`FROM base AS ${name}\\n((?:(?!FROM ).*\\n?)+)`).exec(read('deploy/Dockerfile'))?.[1] ?? '';
    const port = name === 'api' ? 3000 : 3001;
    expect(serviceOf(name).build).toMatchObject({ dockerfile: 'deploy/Dockerfile', target: name });
    expect(stage).toMatch(new RegExp(`HEALTHCHECK .*"deploy/health.mjs", "http://127.0.0.1:${port}/readyz"`));
  });

  it('Prometheus may use the documented host name of the service', () => {
    const port = name === 'api' ? 3000 : 3001;
    const origins = substitute(given['ERRAND_ALLOWED_ORIGINS'] ?? '', {
      ERRAND_ALLOWED_ORIGINS: 'https://app.example',
    });
    expect(origins.split(' ')).toEqual(expect.arrayContaining([`http://${name}:${port}`, 'https://app.example']));
    expect(read('docs/operations.md')).toContain(`'${name}:${port}'`);
  });
});

describe('docker-compose.yml', () => {
  it('The library is a read-only mount of the processes that read it', () => {
    for (const name of ['api', 'worker']) {
      const [mount = ''] = serviceOf(name).volumes ?? [];
      expect(substitute(mount)).toBe('./examples:/library:ro');
      expect(substitute(mount, { ERRAND_LIBRARY: '/srv/library' })).toBe('/srv/library:/library:ro');
    }
  });

  it('Only the script-runner has the Docker socket, secrets and shared folders', () => {
    const mounts = (name: string) => (serviceOf(name).volumes ?? []).map((mount) => substitute(mount));
    expect(mounts('script-runner')).toEqual([
      '/var/run/docker.sock:/var/run/docker.sock',
      'secrets:/run/errand-secrets:ro',
      'files:/srv/errand-files',
    ]);
    expect(Object.keys(compose.volumes).toSorted()).toEqual(['files', 'redis', 'secrets']);
    for (const name of ['redis', 'api', 'worker'])
      expect(mounts(name).filter((mount) => /docker\.sock|secrets|files/.test(mount))).toEqual([]);
  });

  it('A shared folder has the same path in the script-runner and on the host', () => {
    const env = { ERRAND_FILES_DIR: '/srv/shared' };
    const mounts = (serviceOf('script-runner').volumes ?? []).map((mount) => substitute(mount, env));
    expect(mounts).toContain('/srv/shared:/srv/shared');
    expect(substitute(environmentOf('script-runner')['ERRAND_FILES_DIR'] ?? '', env)).toBe('/srv/shared');
  });

  it('Only the API publishes a port, and only on loopback', () => {
    expect(substitute(serviceOf('api').ports?.join() ?? '', { ERRAND_HOST: '0.0.0.0' })).toBe('127.0.0.1:3000:3000');
    for (const name of ['redis', 'worker', 'script-runner']) expect(serviceOf(name).ports).toBeUndefined();
  });

  it('The secrets of one kind of process are not in the environment of another', () => {
    for (const secret of ['ERRAND_WEBHOOK_SECRET', 'ERRAND_LLM_API_KEY'])
      expect(PROCESSES.filter((name) => secret in environmentOf(name))).toEqual(['worker']);
  });

  it('The page about compose names each mount, the env file and the folder of private authorities', () => {
    const page = read('docs/compose.md');
    for (const name of [
      'ERRAND_LIBRARY',
      'ERRAND_SECRETS_DIR',
      'ERRAND_FILES_DIR',
      'DOCKER_GID',
      '--env-file',
      'deploy/ca',
    ])
      expect(page).toContain(name);
  });
});

describe('The Dockerfiles', () => {
  it.each(['deploy/Dockerfile', 'deploy/redis.Dockerfile', 'runtimes/bun/Dockerfile', 'runtimes/python/Dockerfile'])(
    'No command of %s hides the message of a failure',
    (path) => {
      expect(existsSync(join(ROOT, path))).toBe(true);
      expect(
        read(path).match(/.*(--silent|--quiet|-qq|loglevel[= ]silent|2> *\/dev\/null|> *\/dev\/null 2>&1).*/g),
      ).toBeNull();
    },
  );

  it('The images of the processes trust the authorities of the folder deploy/ca when they run', () => {
    const base = read('deploy/Dockerfile').split('FROM debian:bookworm-slim AS base')[1] ?? '';
    expect(base).toMatch(/COPY --from=tools \/tmp\/extra\.crt (\S+)[^]*NODE_EXTRA_CA_CERTS=\1\n/);
  });
});
