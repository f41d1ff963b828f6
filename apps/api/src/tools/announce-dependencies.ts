import type { Tool } from '@errand/contracts';
import { Definitions, Queues, wantEnvironments } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiLogger } from '../api-tokens.js';
import { LibraryReloads } from './library-providers.js';

const MANIFEST = /(^|\/)(requirements\.txt|pyproject\.toml|package\.json)$/;

/** Publishes the tools whose scripts have dependencies, so that script-runners install them before the first call. */
@Injectable()
export class AnnounceDependencies implements OnApplicationBootstrap {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly logger: ApiLogger,
    reloads: LibraryReloads,
  ) {
    reloads.on('reload', () => void this.announce());
  }

  onApplicationBootstrap(): void {
    void this.announce();
  }

  /** Never rejects: without an announcement, the first call installs the dependencies. */
  private async announce(): Promise<void> {
    try {
      const tools = this.registry.list().filter((tool) => this.hasDependencies(tool));
      const defined = await Promise.allSettled(tools.map((tool) => this.registry.define(tool)));
      const dependent = defined.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      await this.definitions.put(dependent);
      await wantEnvironments(
        this.queues,
        dependent.map(({ digest }) => digest),
      );
    } catch (err) {
      this.logger.warn({ err }, 'the dependencies of scripts could not be announced');
    }
  }

  /** A call reports a script that cannot be read. */
  private hasDependencies(tool: Tool): boolean {
    try {
      return this.registry.scriptFiles(tool).some((path) => MANIFEST.test(path));
    } catch {
      return false;
    }
  }
}
