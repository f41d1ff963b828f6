import type { ContainerCreateOptions } from 'dockerode';
import { BOUNDS, type RunLimits } from './limits.js';

const MB = 1024 * 1024;
const NOBODY = 65534;

/** Labels of every container that Errand makes for scripts. */
export const LABELS = {
  runner: 'errand.runner',
  invocation: 'errand.invocation',
  step: 'errand.step',
  tool: 'errand.tool',
  role: 'errand.role',
  /** When its run must be over: milliseconds since 1970. */
  deadline: 'errand.deadline',
} as const;

export interface ContainerPlan {
  name: string;
  image: string;
  runnerId: string;
  invocationId: string;
  step: number;
  toolId: string;
  deadline: number;
  limits: RunLimits;
  runtime?: string;
}

/**
 * All that a sandbox may and may not do, in one place. Nothing here comes from a caller but the clamped limits:
 * image, environment, mounts, working folder and runtime are the operator's.
 * `AutoRemove` and `StdinOnce` are the lifeline: when the runner dies, the engine closes stdin, the supervisor inside exits,
 * and the engine removes the container.
 */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions & { name: string } {
  return {
    name: plan.name,
    Image: plan.image,
    User: `${NOBODY}:${NOBODY}`,
    WorkingDir: '/',
    Hostname: 'sandbox',
    Labels: {
      [LABELS.runner]: plan.runnerId,
      [LABELS.invocation]: plan.invocationId,
      [LABELS.step]: String(plan.step),
      [LABELS.tool]: plan.toolId,
      [LABELS.role]: 'run',
      [LABELS.deadline]: String(plan.deadline),
    },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    StopTimeout: 1,
    HostConfig: { ...isolation, ...bounds(plan.limits), ...(plan.runtime && { Runtime: plan.runtime }) },
  };
}

const isolation: ContainerCreateOptions['HostConfig'] = {
  NetworkMode: 'none',
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  // The engine's default seccomp profile applies, for no other is named.
  SecurityOpt: ['no-new-privileges'],
  IpcMode: 'none',
  Init: true,
  AutoRemove: true,
  LogConfig: { Type: 'none', Config: {} },
};

function bounds(limits: RunLimits): ContainerCreateOptions['HostConfig'] {
  const memory = Math.round(limits.memoryMb * MB);
  return {
    Memory: memory,
    MemorySwap: memory,
    PidsLimit: Math.round(limits.pids),
    NanoCpus: Math.round(limits.cpus * 1e9),
    // Not nproc: it counts per user across containers.
    Ulimits: [hard('nofile', BOUNDS.openFiles), hard('fsize', BOUNDS.fileMb * MB), hard('core', 0)],
    Tmpfs: { '/tmp': tmpfs(limits.tmpMb, '1777'), '/script': tmpfs(BOUNDS.scriptMb, '0755') },
  };
}

function hard(Name: string, value: number) {
  return { Name, Soft: value, Hard: value };
}

function tmpfs(sizeMb: number, mode: string): string {
  return `rw,noexec,nosuid,nodev,size=${sizeMb}m,nr_inodes=${BOUNDS.inodes},mode=${mode},uid=${NOBODY},gid=${NOBODY}`;
}
