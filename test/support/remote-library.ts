import { join } from 'node:path';
import type { Invocation } from '@errand/contracts';
import type { LibraryProblem } from '@errand/registry';
import { eventually } from './eventually.js';
import type { Stack } from './start-stack.js';
import { writeFiles } from './write-files.js';

/** A library without servers, for `useStack`. */
export const NO_SERVERS = { 'mcp.json': '{"mcpServers":{}}' };

interface CataloguedTool {
  toolId: string;
  kind: string;
  version: string;
  source: string;
  description: string;
  tags: string[];
}

/** The servers of the library of a stack, and what the API says about them. */
export class RemoteLibrary {
  constructor(private readonly stack: Stack) {}

  setServers(mcpServers: object): void {
    const text = JSON.stringify({ mcpServers }, null, 2);
    writeFiles(join(this.stack.folder, 'library'), { 'mcp.json': text });
  }

  async tools(): Promise<CataloguedTool[]> {
    const { body } = await this.stack.client.get<{ items: CataloguedTool[] }>('/v1/tools?limit=200&kind=mcp');
    return body.items;
  }

  async problems(): Promise<LibraryProblem[]> {
    return (await this.stack.client.get<{ items: LibraryProblem[] }>('/v1/tools/problems')).body.items;
  }

  /** Waits until the catalogue has a tool. */
  async untilListed(toolId: string): Promise<void> {
    await eventually(async () => (await this.stack.client.get(`/v1/tools/${toolId}`)).status === 200);
  }

  /** Waits until a problem has these words. @returns its message */
  async untilProblem(words: RegExp): Promise<LibraryProblem> {
    return eventually(async () => (await this.problems()).find(({ message }) => words.test(message)));
  }

  /** Calls a tool and waits for the end. */
  async call(toolId: string, args: object = {}, more: object = {}): Promise<Invocation> {
    const { client } = this.stack;
    return client.untilEnded(await client.submit({ toolId, arguments: args, ...more }));
  }
}
