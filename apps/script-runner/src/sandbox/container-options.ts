import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { SandboxEnvironment, Mount } from './environment.js';
import { BOUNDS } from './limits.js';
import { SECCOMP_PROFILE } from './seccomp-profile.js';

/**
 * Paths of /proc, /sys and /dev that a sandbox cannot see.
 *
 * - Docker's default list. A custom list replaces it, so it is repeated here.
 * - `/dev/mqueue`, where a run could leave a message queue for the next run.
 * - The memory of the container's init, which outlives every process of a run. The init belongs to the script's user.
 *   On a kernel without Yama, the script could write this memory.
 */
const MASKED_PATHS = [
  '/proc/1/mem',
  '/proc/1/task/1/mem',
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
  '/dev/mqueue',
];

const MB = 1024 * 1024;
const NOBODY = 65534;
const ROOT = 0;
/** For a supervisor that starts each run as another user (ADR 76): it changes users and drops capabilities. */
const CAPABILITIES_APART = ['SETUID', 'SETPCAP'];

/** Labels of every container that Errand creates for scripts. Docker cannot change them later. */
export const LABELS = {
  runner: 'errand.runner',
  /** The runners with this value share a Redis, so they know whether that runner lives. */
  installation: 'errand.installation',
  /** Empty if the container was created before its run was known. */
  invocation: 'errand.invocation',
  step: 'errand.step',
  tool: 'errand.tool',
  role: 'errand.role',
  /** The container is not needed after this time, in ms since 1970. */
  deadline: 'errand.deadline',
} as const;

/** The purpose of a container: a known run, any later run, or a build. */
export type ContainerPurpose =
  | { role: 'run'; invocationId: string; step: number; toolId: string }
  | { role: 'pool' }
  /** Only one container can have a name, so only one process builds an image. */
  | { role: 'build'; name: string };

interface ContainerPlan {
  name: string;
  runnerId: string;
  installation: string;
  purpose: ContainerPurpose;
  deadline: number;
  environment: SandboxEnvironment;
}

/**
 * The permissions of a sandbox, in one place. Only the bounded limits come from a caller. The operator sets image,
 * environment, mounts, working folder and runtime.
 * `AutoRemove` and `StdinOnce` make the stdin lifeline: when the runner dies, Docker closes stdin, the supervisor
 * inside exits, and Docker removes the container.
 * `NetworkDisabled` saves half of the processor time of a start: Docker otherwise starts a copy of itself for each container. The
 * container gets the same network namespace in both cases, with a loopback interface only (ADR 167).
 */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions & { name: string } {
  const { environment } = plan;
  return {
    name: plan.name,
    Image: environment.image,
    User: `${supervisorOf(environment)}:${NOBODY}`,
    WorkingDir: '/',
    Hostname: 'sandbox',
    NetworkDisabled: true,
    Labels: labels(plan),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    StopTimeout: 1,
    HostConfig: {
      ...isolation,
      ...bounds(environment),
      ...(environment.runtime !== undefined && { Runtime: environment.runtime }),
      ...(environment.mounts && { Mounts: environment.mounts.map(bind) }),
      ...(environment.writable && { ReadonlyRootfs: false }),
      ...(environment.reusable && { CapAdd: CAPABILITIES_APART }),
    },
  };
}

function supervisorOf({ reusable }: SandboxEnvironment): number {
  return reusable ? ROOT : NOBODY;
}

function labels({ runnerId, installation, deadline, purpose }: ContainerPlan): Record<string, string> {
  const run = purpose.role === 'run' ? purpose : { invocationId: '', step: '', toolId: '' };
  return {
    [LABELS.runner]: runnerId,
    [LABELS.installation]: installation,
    [LABELS.invocation]: run.invocationId,
    [LABELS.step]: String(run.step),
    [LABELS.tool]: run.toolId,
    [LABELS.role]: purpose.role,
    [LABELS.deadline]: String(deadline),
  };
}

const isolation = {
  NetworkMode: 'none',
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges', `seccomp=${SECCOMP_PROFILE}`],
  IpcMode: 'none',
  MaskedPaths: MASKED_PATHS,
  Init: true,
  AutoRemove: true,
  LogConfig: { Type: 'none', Config: {} },
} satisfies ContainerCreateOptions['HostConfig'] & { MaskedPaths: string[] };

/** Docker refuses a missing source of such a mount. An old-style bind would create it. */
function bind({ source, target, readOnly }: Mount): MountSettings {
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions: { Propagation: 'rprivate' } };
}

function bounds(environment: SandboxEnvironment): ContainerCreateOptions['HostConfig'] {
  const { memoryMb, pids, cpus, tmpMb, writable } = environment;
  const owner = supervisorOf(environment);
  const memory = Math.round(memoryMb * MB);
  return {
    Memory: memory,
    MemorySwap: memory,
    PidsLimit: Math.round(pids),
    NanoCpus: Math.round(cpus * 1e9),
    // There is no nproc limit, because it counts per user across containers.
    Ulimits: [
      hard('nofile', writable ? BOUNDS.installedOpenFiles : BOUNDS.openFiles),
      hard('fsize', (writable ? BOUNDS.installedFileMb : BOUNDS.fileMb) * MB),
      hard('core', 0),
    ],
    Tmpfs: { '/tmp': tmpfs(tmpMb, '1777', owner), '/script': tmpfs(BOUNDS.scriptMb, '0755', owner) },
  };
}

function hard(Name: string, value: number) {
  return { Name, Soft: value, Hard: value };
}

function tmpfs(sizeMb: number, mode: string, owner: number): string {
  return `rw,noexec,nosuid,nodev,size=${sizeMb}m,nr_inodes=${BOUNDS.inodes},mode=${mode},uid=${owner},gid=${NOBODY}`;
}
