import { containerOptions } from './container-options.js';
import { environmentOf } from './environment.js';
import { DEFAULT_LIMITS } from './limits.js';

const images = { python: 'errand-runner-python', bun: 'errand-runner-bun', nodejs: 'errand-runner-bun' };
const environment = environmentOf('python', DEFAULT_LIMITS, { images });
const plan = {
  name: 'errand-1',
  runnerId: 'r1',
  installation: 'i1',
  purpose: { role: 'run', invocationId: 'inv_1', step: 0, toolId: 'a:b' },
  deadline: 1_700_000_000_000,
  environment,
} as const;

describe('containerOptions', () => {
  // The options are written out, so that a change that weakens the sandbox must also change this test.
  it('A script gets only the access that it needs', () => {
    expect(containerOptions(plan)).toMatchObject({
      User: '65534:65534',
      WorkingDir: '/',
      NetworkDisabled: true,
      OpenStdin: true,
      StdinOnce: true,
      Tty: false,
      StopTimeout: 1,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', expect.stringMatching(/^seccomp=\{"defaultAction":"SCMP_ACT_ERRNO"/)],
        MaskedPaths: expect.arrayContaining([
          '/proc/1/mem',
          '/proc/1/task/1/mem',
          '/proc/kcore',
          '/proc/keys',
          '/sys/firmware',
          '/dev/mqueue',
        ]),
        IpcMode: 'none',
        Init: true,
        AutoRemove: true,
        LogConfig: { Type: 'none' },
        Memory: 268_435_456,
        MemorySwap: 268_435_456,
        PidsLimit: 64,
        NanoCpus: 1_000_000_000,
        Ulimits: [
          { Name: 'nofile', Soft: 256, Hard: 256 },
          { Name: 'fsize', Soft: 33_554_432, Hard: 33_554_432 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
        Tmpfs: {
          '/tmp': 'rw,noexec,nosuid,nodev,size=32m,nr_inodes=4096,mode=1777,uid=65534,gid=65534',
          '/script': 'rw,noexec,nosuid,nodev,size=64m,nr_inodes=4096,mode=0755,uid=65534,gid=65534',
        },
      },
    });
  });

  it('An environment with folders of the host mounts only these folders', () => {
    const mounts = [{ source: '/srv/reports', target: '/data/reports', readOnly: true }];
    const { HostConfig } = containerOptions({ ...plan, environment: { ...environment, mounts } });
    expect(HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      Mounts: [
        {
          Type: 'bind',
          Source: '/srv/reports',
          Target: '/data/reports',
          ReadOnly: true,
          BindOptions: { Propagation: 'rprivate' },
        },
      ],
    });
  });

  it('An installation may write, with larger and more open files, and has no other rights', () => {
    const purpose = { role: 'build', name: 'errand-environment-1' } as const;
    const { HostConfig, Labels } = containerOptions({
      ...plan,
      purpose,
      environment: { ...environment, writable: true },
    });
    const strict = containerOptions(plan).HostConfig;
    const differing = Object.keys({ ...strict, ...HostConfig }).filter(
      (key) => JSON.stringify(HostConfig?.[key as never]) !== JSON.stringify(strict?.[key as never]),
    );
    expect(differing.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['ReadonlyRootfs', 'Ulimits']);
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: false, NetworkMode: 'none', CapDrop: ['ALL'] });
    expect(Labels).toMatchObject({ 'errand.role': 'build', 'errand.invocation': '' });
  });

  it('A container for several runs differs only in user, two capabilities, and owners of /tmp and /script', () => {
    const strict = containerOptions(plan);
    const shared = containerOptions({ ...plan, environment: { ...environment, reusable: true } });
    const differing = (a: object, b: object) =>
      Object.keys({ ...a, ...b }).filter((key) => JSON.stringify(a[key as never]) !== JSON.stringify(b[key as never]));
    expect(differing(strict, shared)).toEqual(['User', 'HostConfig']);
    expect(differing(strict.HostConfig ?? {}, shared.HostConfig ?? {}).toSorted()).toEqual(['CapAdd', 'Tmpfs']);
    expect(shared).toMatchObject({
      User: '0:65534',
      HostConfig: {
        CapDrop: ['ALL'],
        CapAdd: ['SETUID', 'SETPCAP'],
        Tmpfs: {
          '/tmp': 'rw,noexec,nosuid,nodev,size=32m,nr_inodes=4096,mode=1777,uid=0,gid=65534',
          '/script': 'rw,noexec,nosuid,nodev,size=64m,nr_inodes=4096,mode=0755,uid=0,gid=65534',
        },
      },
    });
  });

  it('A container for several runs never mounts folders of the host', () => {
    const mounts = [{ source: '/srv/reports', target: '/data/reports', readOnly: false }];
    expect(environmentOf('python', DEFAULT_LIMITS, { images }, { reuse: 'x' }).reusable).toBe(true);
    expect(environmentOf('python', DEFAULT_LIMITS, { images }, { reuse: 'x', mounts }).reusable).toBeUndefined();
  });

  it('No option mounts, adds or inherits anything by default', () => {
    const { HostConfig, ...options } = containerOptions(plan);
    const given = Object.keys({ ...options, ...HostConfig });
    const opening = [
      'Env',
      'Entrypoint',
      'Cmd',
      'Volumes',
      'Binds',
      'Mounts',
      'Devices',
      'CapAdd',
      'Privileged',
      'PidMode',
      'Runtime',
    ];
    expect(given.filter((name) => opening.includes(name))).toEqual([]);
  });

  it('The labels name the runner and the invocation, and the runtime is that of the operator', () => {
    expect(containerOptions({ ...plan, environment: { ...environment, runtime: 'runsc' } })).toMatchObject({
      HostConfig: { Runtime: 'runsc' },
      Labels: {
        'errand.runner': 'r1',
        'errand.installation': 'i1',
        'errand.invocation': 'inv_1',
        'errand.step': '0',
        'errand.tool': 'a:b',
        'errand.role': 'run',
        'errand.deadline': '1700000000000',
      },
    });
  });

  it('A container of the pool has the role pool and no invocation', () => {
    expect(containerOptions({ ...plan, purpose: { role: 'pool' } }).Labels).toMatchObject({
      'errand.role': 'pool',
      'errand.invocation': '',
    });
  });
});
