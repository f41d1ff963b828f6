import { randomBytes } from 'node:crypto';
import { ToolError, type Json, type Language, type Limits } from '@errand/contracts';
import Docker from 'dockerode';
import {
  DockerSandbox,
  type DockerSandboxOptions,
  type RunLimits,
  type SandboxSpec,
} from '../../apps/script-runner/src/sandbox/index.js';

const IMAGES: Record<Language, string> = {
  python: process.env.ERRAND_TEST_IMAGE_PYTHON ?? 'errand-runner-python',
  bun: process.env.ERRAND_TEST_IMAGE_BUN ?? 'errand-runner-bun',
  nodejs: process.env.ERRAND_TEST_IMAGE_BUN ?? 'errand-runner-bun',
};
export const MAXIMA: RunLimits = {
  timeoutMs: 60_000,
  memoryMb: 512,
  cpus: 2,
  pids: 128,
  outputKb: 8192,
  tmpMb: 64,
  cpuMs: 60_000,
};
const ENTRY: Record<Language, string> = { python: 'main.py', bun: 'main.ts', nodejs: 'main.js' };

/** Like `describe`. It skips the tests only if ERRAND_TEST_NO_DOCKER is set, never because Docker was not found. */
export function describeWithDocker(name: string, tests: () => void): void {
  if (process.env.ERRAND_TEST_NO_DOCKER === undefined) return describe(name, tests);
  console.warn(`Skipped: ${name}. ERRAND_TEST_NO_DOCKER is set, and these tests need a Docker engine.`);
  describe.skip(name, tests);
}

export interface SandboxAttempt {
  result?: Json;
  error?: ToolError;
  log: string[];
  progress: [number, string | undefined][];
  peakMemoryKb?: number;
}

/** The sandbox as in production, on the local engine, with its own runner id. */
export class RealSandbox {
  readonly runnerId: string;
  readonly docker = new Docker();
  readonly images = IMAGES;
  readonly sandbox: DockerSandbox;

  constructor(options: Partial<DockerSandboxOptions> = {}) {
    this.runnerId = options.runnerId ?? `test-${randomBytes(6).toString('hex')}`;
    this.sandbox = new DockerSandbox({ images: IMAGES, maxima: MAXIMA, ...options, runnerId: this.runnerId });
  }

  /** @throws Error with the reason if the engine or an image is missing */
  async require(): Promise<void> {
    const { ok, reason } = await this.sandbox.ping();
    if (!ok) throw new Error(`${reason}. (Without Docker, set ERRAND_TEST_NO_DOCKER=1 to skip these tests.)`);
  }

  /** Runs a script of one or more files and returns its outcome. It does not reject with a ToolError. */
  async attempt(
    language: Language,
    source: string | Record<string, string>,
    {
      input = {},
      limits = {},
      signal = new AbortController().signal,
      onLog,
      onContainer,
      onArchive,
      ...more
    }: AttemptOptions = {},
  ): Promise<SandboxAttempt> {
    const attempt: SandboxAttempt = { log: [], progress: [] };
    const files = typeof source === 'string' ? { [ENTRY[language]]: source } : source;
    const bundle = {
      language,
      entry: Object.keys(files)[0]!,
      files: Object.entries(files).map(([path, text]) => ({ path, base64: Buffer.from(text).toString('base64') })),
    };
    const hooks = {
      signal,
      onContainer,
      onArchive,
      onLog: (lines: string[]) => {
        attempt.log.push(...lines);
        onLog?.(lines);
      },
      onUsage: (usage: { peakMemoryKb: number }) => void (attempt.peakMemoryKb = usage.peakMemoryKb),
      onProgress: (value: number, message?: string) => attempt.progress.push([value, message]),
    };
    try {
      const spec = { invocationId: 'inv_test', step: 0, toolId: 'test:script', bundle, input, limits, ...more };
      attempt.result = await this.sandbox.run(spec, hooks);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      attempt.error = error;
    }
    return attempt;
  }

  /** The ids of all containers with the label of this runner, running or not. */
  async left(): Promise<string[]> {
    const filters = { label: [`errand.runner=${this.runnerId}`] };
    return (await this.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
  }
}

export interface AttemptOptions {
  input?: Json;
  limits?: Limits;
  signal?: AbortSignal;
  onLog?: (lines: string[]) => void;
  onContainer?: (id: string) => void;
  reuse?: string;
  env?: Readonly<Record<string, string>>;
  connect?: SandboxSpec['connect'];
  mounts?: SandboxSpec['mounts'];
  artifactBytes?: number;
  onArchive?: (archive: Buffer) => void;
}
