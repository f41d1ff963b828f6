import { createHash } from 'node:crypto';
import { canonicalJson, ToolError, type Language, type ScriptBundle } from '@errand/contracts';
import type Docker from 'dockerode';
import type { EgressProxy } from '../egress/index.js';
import { asServiceError, noImage, statusOf, type DockerSandbox, type RunEnvironment } from '../sandbox/index.js';
import { LABEL, REPOSITORY } from './environment-images.js';
import { evictEnvironments, KnownImages } from './evict-environments.js';
import { findManifest, type Manifest } from './find-manifest.js';
import { toInstallRun, type PackageSources } from './package-install.js';

/** The folder of the packages in the image. */
const SITE = '/opt/errand/site';
/** A used image is tagged again, at most once in this time, in ms. Docker stores the time of the tag as its last use. */
const RENEW_MS = 3_600_000;

interface EnvironmentOptions {
  docker: Docker;
  sandbox: DockerSandbox;
  images: Readonly<Record<Language, string>>;
  sources: PackageSources;
  /** The proxy of installers. */
  proxy: EgressProxy;
  /** Maximum total size of all environments without their base images, in bytes. */
  maxBytes: number;
}

/** The environment of a run with dependencies. */
export interface Dependencies extends RunEnvironment {
  env: Readonly<Record<string, string>>;
}

/** A run that waits for its environment. */
export interface EnvironmentWaiter {
  signal: AbortSignal;
  onLog(lines: string[]): void;
}

/**
 * Installs the packages that scripts depend on. Each set of packages is an image on top of the image of the language, named
 * by a digest of everything that decides its content. A run cannot write to it, and Docker does not remove an image in use.
 */
export class Environments {
  private readonly building = new Map<string, SharedBuild>();
  private readonly renewed = new Map<string, number>();
  private readonly closing = new AbortController();
  private readonly images: KnownImages;

  constructor(private readonly options: EnvironmentOptions) {
    this.images = new KnownImages(options.docker);
  }

  /**
   * Installs the packages of a script unless they are installed, and returns the environment with them. Returns undefined
   * for a script without dependencies.
   * @throws ToolError DependencyError with the last log lines of the installer, CancelledError, ServiceError
   */
  async prepare(bundle: ScriptBundle, waiter: EnvironmentWaiter): Promise<Dependencies | undefined> {
    const manifest = findManifest(bundle);
    if (!manifest) return undefined;
    const digest = await this.digestOf(manifest);
    const image = `${REPOSITORY}:${digest}`;
    if (!(await this.images.find(image))) await this.waitFor(manifest, digest, waiter);
    await this.renew(image, digest);
    return { image, env: manifest.language === 'python' ? { PYTHONPATH: SITE } : {} };
  }

  /** Ends running installations. */
  close(): void {
    this.closing.abort();
  }

  /** Uses the id of the base image, not its name: a rebuilt base image needs new environments. */
  private async digestOf({ language, path, files }: Manifest): Promise<string> {
    const { images, sources } = this.options;
    const base = await this.images.find(images[language]);
    if (!base) throw noImage('could not look for the dependencies of the script', images[language]);
    const { runScripts } = sources;
    const decisive = { base: base.Id, platform: `${base.Os}/${base.Architecture}`, path, files, runScripts };
    return createHash('sha256').update(canonicalJson(decisive)).digest('hex').slice(0, 32);
  }

  /** A run that gives up does not end the build, because others may wait for it. */
  private async waitFor(manifest: Manifest, digest: string, waiter: EnvironmentWaiter): Promise<void> {
    let build = this.building.get(digest);
    if (!build) {
      build = new SharedBuild((onLog) => this.build(manifest, digest, onLog));
      this.building.set(digest, build);
      void build.done.catch(() => {}).finally(() => this.building.delete(digest));
    }
    waiter.onLog([`[errand] installing the dependencies of ${manifest.path}`]);
    const stopListening = build.listen((lines) => waiter.onLog(lines.map((line) => `[errand] ${line}`)));
    try {
      await Promise.race([build.done, aborted(waiter.signal)]);
    } finally {
      stopListening();
    }
  }

  private async build(manifest: Manifest, digest: string, onLog: (lines: string[]) => void): Promise<void> {
    const { sandbox, sources, proxy, docker, maxBytes } = this.options;
    const spec = await toInstallRun(manifest, sources, digest, proxy);
    // The signals of the waiting runs do not end the build, because other runs may need it.
    const hooks = { signal: this.closing.signal, onLog };
    const image = { repo: REPOSITORY, tag: digest, labels: { [LABEL]: digest } };
    try {
      await sandbox.build(spec, hooks, image);
    } catch (error) {
      if (!isNameTaken(error)) throw asDependencyError(manifest, error);
      await this.awaitOther(`${REPOSITORY}-${digest}`);
      if (!(await this.images.find(`${REPOSITORY}:${digest}`))) return this.build(manifest, digest, onLog);
    }
    await evictEnvironments(docker, { maxBytes, keep: digest });
  }

  /** Another process of this host builds the same image. Waits until its container is gone. */
  private async awaitOther(name: string): Promise<void> {
    await this.options.docker
      .getContainer(name)
      .wait({ condition: 'removed' })
      .catch((error: unknown) => {
        if (statusOf(error) !== 404)
          throw asServiceError('could not wait for another installation of the same dependencies', error);
      });
  }

  private async renew(image: string, digest: string): Promise<void> {
    if (Date.now() - (this.renewed.get(digest) ?? 0) < RENEW_MS) return;
    this.renewed.set(digest, Date.now());
    await this.options.docker.getImage(image).tag({ repo: REPOSITORY, tag: digest });
  }
}

/** Whether another container has the name already. */
function isNameTaken(error: unknown): boolean {
  return error instanceof ToolError && statusOf(error.cause) === 409;
}

/** One build and the listeners to its log. */
class SharedBuild {
  readonly done: Promise<void>;
  private readonly listeners = new Set<(lines: string[]) => void>();

  constructor(start: (onLog: (lines: string[]) => void) => Promise<void>) {
    this.done = start((lines) => this.listeners.forEach((listener) => listener(lines)));
  }

  listen(listener: (lines: string[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Rejects when the waiting run is cancelled. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () =>
      reject(new ToolError('CancelledError', 'The run was cancelled while its dependencies were installed'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** A failed installer is an error of the script. A failure of the Docker engine is not. */
function asDependencyError({ path }: Manifest, error: unknown): unknown {
  if (!(error instanceof ToolError) || error.type === 'ServiceError') return error;
  if (error.type === 'CancelledError') {
    return new ToolError(
      'ServiceError',
      'The script runner was stopped while it installed the dependencies of the script',
    );
  }
  const { log = '' } = error.details ?? {};
  const lines = String(log)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? error.message;
  const message = `The dependencies in ${path} could not be installed: ${last.trim()}`;
  return new ToolError('DependencyError', message, { manifest: path, cause: error.message, log }, { cause: error });
}
