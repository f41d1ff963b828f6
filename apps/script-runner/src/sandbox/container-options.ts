import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { SandboxEnvironment, Mount } from './environment.js';
import { BOUNDS } from './limits.js';
import { SECCOMP_PROFILE } from './seccomp-profile.js';

/**
 * What a sandbox does not see of /proc, /sys and /dev: the engine's own list (naming one replaces it); `/dev/mqueue`, where anyone may
 * leave a message queue for the next; and the memory of the container's init, which belongs to the script's user and, unlike the
 * supervisors, may be written by it where the kernel has no Yama: what is written there outlives every process of a run.
 */
export const MASKED_PATHS = [
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
/** For a supervisor that starts each run as a user of its own (ADR 76): to change users, and to drop capabilities. */
const CAPABILITIES_APART = ['SETUID', 'SETPCAP'];

/** Labels of every container that Errand makes for scripts. An engine cannot change them later. */
export const LABELS = {
  runner: 'errand.runner',
  /** Who can tell whether that runner lives: those that share its Redis. */
  installation: 'errand.installation',
  /** Empty where the container was made before its run was known. */
  invocation: 'errand.invocation',
  step: 'errand.step',
  tool: 'errand.tool',
  role: 'errand.role',
  /** When nobody may need it any more: milliseconds since 1970. */
  deadline: 'errand.deadline',
} as const;

/** What a container is made for: a run that is known, or whichever comes. */
export type ContainerPurpose =
  | { role: 'run'; invocationId: string; step: number; toolId: string }
  | { role: 'pool' }
  /** Only one container of a name can be there: of those who want the same built, one does it. */
  | { role: 'build'; name: string };

export interface ContainerPlan {
  name: string;
  runnerId: string;
  installation: string;
  purpose: ContainerPurpose;
  deadline: number;
  environment: SandboxEnvironment;
}

/**
 * All that a sandbox may and may not do, in one place. Nothing here comes from a caller but the clamped limits:
 * image, environment, mounts, working folder and runtime are the operator's.
 * `AutoRemove` and `StdinOnce` are the lifeline: when the runner dies, the engine closes stdin, the supervisor inside exits,
 * and the engine removes the container.
 */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions & { name: string } {
  const { environment } = plan;
  return {
    name: plan.name,
    Image: environment.image,
    User: `${supervisorOf(environment)}:${NOBODY}`,
    WorkingDir: '/',
    Hostname: 'sandbox',
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

/** The engine refuses a source that is not there, where an old-style bind would make it. */
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
    // Not nproc: it counts per user across containers.
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
