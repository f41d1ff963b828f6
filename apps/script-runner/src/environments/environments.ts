import { createHash } from 'node:crypto';
import { canonicalJson, ToolError, type Language, type ScriptBundle } from '@errand/contracts';
import type Docker from 'dockerode';
import type { EgressProxy } from '../egress/index.js';
import { asServiceError, noImage, statusOf, type DockerSandbox, type RunEnvironment } from '../sandbox/index.js';
import { LABEL, REPOSITORY } from './environment-images.js';
import { evictEnvironments, KnownImages } from './evict-environments.js';
import { findManifest, type Manifest } from './find-manifest.js';
import { installSpec, type PackageSources } from './package-install.js';

/** Where the packages are inside. */
const SITE = '/opt/errand/site';
/** An image that was used is tagged anew, at most so often: the engine remembers the time. In ms. */
const RENEW_MS = 3_600_000;

export interface EnvironmentOptions {
  docker: Docker;
  sandbox: DockerSandbox;
  images: Readonly<Record<Language, string>>;
  sources: PackageSources;
  /** Which leads to the sources alone. */
  proxy: EgressProxy;
  /** What all environments together may take beyond their base images. */
  maxBytes: number;
}

/** What a run with dependencies needs beside the usual. */
export interface Dependencies extends RunEnvironment {
  env: Readonly<Record<string, string>>;
}

/** Who waits for an environment. */
export interface Waiter {
  signal: AbortSignal;
  onLog(lines: string[]): void;
}

/**
 * The packages that scripts depend on, installed once: an image upon the language's own, named by a digest of all that decides what
 * is in it. Nothing of it can be written by a run, for a run's root is read-only, and the engine removes none that is in use.
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
   * What the script needs to find its packages: they are installed first where they are not yet. Nothing for most scripts.
   * @throws ToolError DependencyError with the installer's last words, CancelledError, ServiceError
   */
  async prepare(bundle: ScriptBundle, waiter: Waiter): Promise<Dependencies | undefined> {
    const manifest = findManifest(bundle);
    if (!manifest) return undefined;
    const digest = await this.digestOf(manifest);
    const image = `${REPOSITORY}:${digest}`;
    if (!(await this.images.find(image))) await this.waitFor(manifest, digest, waiter);
    await this.renew(image, digest);
    return { image, env: manifest.language === 'python' ? { PYTHONPATH: SITE } : {} };
  }

  /** Ends what is being installed. */
  close(): void {
    this.closing.abort();
  }

  /** By the image beneath, not by its name: what is built anew has its environments built anew. */
  private async digestOf({ language, path, files }: Manifest): Promise<string> {
    const { images, sources } = this.options;
    const base = await this.images.find(images[language]);
    if (!base) throw noImage('could not look for the dependencies of the script', images[language]);
    const { runScripts } = sources;
    const decisive = { base: base.Id, platform: `${base.Os}/${base.Architecture}`, path, files, runScripts };
    return createHash('sha256').update(canonicalJson(decisive)).digest('hex').slice(0, 32);
  }

  /** Whoever gives up leaves the build to the others. */
  private async waitFor(manifest: Manifest, digest: string, waiter: Waiter): Promise<void> {
    let build = this.building.get(digest);
    if (!build) {
      build = new SharedBuild((tell) => this.build(manifest, digest, tell));
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

  private async build(manifest: Manifest, digest: string, tell: (lines: string[]) => void): Promise<void> {
    const { sandbox, sources, proxy, docker, maxBytes } = this.options;
    const spec = await installSpec(manifest, sources, digest, proxy);
    // Not the waiters' signals: a build that one of them gives up serves the next.
    const hooks = { signal: this.closing.signal, onLog: tell };
    const image = { repo: REPOSITORY, tag: digest, labels: { [LABEL]: digest } };
    try {
      await sandbox.build(spec, hooks, image);
    } catch (error) {
      if (!isTaken(error)) throw asDependencyError(manifest, error);
      await this.awaitOther(`${REPOSITORY}-${digest}`);
      if (!(await this.images.find(`${REPOSITORY}:${digest}`))) return this.build(manifest, digest, tell);
    }
    await evictEnvironments(docker, { maxBytes, keep: digest });
  }

  /** Another process of this host builds the same; the engine says when its container is gone. */
  private async awaitOther(name: string): Promise<void> {
    await this.options.docker
      .getContainer(name)
      .wait({ condition: 'removed' })
      .catch((error: unknown) => {
        if (statusOf(error) !== 404) throw asServiceError('lost sight of who installs the same dependencies', error);
      });
  }

  private async renew(image: string, digest: string): Promise<void> {
    if (Date.now() - (this.renewed.get(digest) ?? 0) < RENEW_MS) return;
    this.renewed.set(digest, Date.now());
    await this.options.docker.getImage(image).tag({ repo: REPOSITORY, tag: digest });
  }
}

/** The engine makes no second container of a name. */
function isTaken(error: unknown): boolean {
  return error instanceof ToolError && statusOf(error.cause) === 409;
}

/** One build and those who listen to its log. */
export class SharedBuild {
  readonly done: Promise<void>;
  private readonly listeners = new Set<(lines: string[]) => void>();

  constructor(start: (tell: (lines: string[]) => void) => Promise<void>) {
    this.done = start((lines) => this.listeners.forEach((listener) => listener(lines)));
  }

  listen(listener: (lines: string[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Rejects when whoever waits gives up. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () =>
      reject(new ToolError('CancelledError', 'The run was cancelled while its dependencies were installed'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** An installer that failed is the script's affair; an engine that failed is not. */
export function asDependencyError({ path }: Manifest, error: unknown): unknown {
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
