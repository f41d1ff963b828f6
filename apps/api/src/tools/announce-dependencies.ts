import type { Tool } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { Definitions, Queues, wantEnvironments } from '@errand/queue';
import { Registry } from '@errand/registry';

const MANIFEST = /(^|\/)(requirements\.txt|pyproject\.toml|package\.json)$/;

/** Tells the script-runners of tools whose scripts bring dependencies, so that these are there when the first call comes. */
export class AnnounceDependencies {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly logger: Logger,
  ) {}

  /** Never rejects: without it the first call takes longer, nothing else. */
  async announce(): Promise<void> {
    try {
      const tools = this.registry.list().filter((tool) => this.bringsDependencies(tool));
      const defined = await Promise.allSettled(tools.map((tool) => this.registry.define(tool)));
      const dependent = defined.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      await this.definitions.put(dependent);
      await wantEnvironments(
        this.queues,
        dependent.map(({ digest }) => digest),
      );
    } catch (err) {
      this.logger.warn({ err }, 'the script-runners could not be told of dependencies');
    }
  }

  /** One whose script cannot travel says so when it is called. */
  private bringsDependencies(tool: Tool): boolean {
    try {
      return this.registry.scriptFiles(tool).some((path) => MANIFEST.test(path));
    } catch {
      return false;
    }
  }
}
