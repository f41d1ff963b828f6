import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { KnownError } from '@errand/contracts';
import { topFolder } from '../plugins/new-plugin.js';

/** The model of the examples, as a process that ends with this one. */
interface ScriptedModelProcess {
  /** The settings of a worker that asks it. */
  env: Record<string, string>;
  close(): void;
}

/** Starts the scripted model of the examples, which needs no key. @throws KnownError if it does not start */
export async function startScriptedModel(): Promise<ScriptedModelProcess> {
  const file = join(topFolder(), 'examples/agents/scripted-model.mjs');
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const close = () => void child.kill();
  // When this process dies, the channel closes and the child ends. The channel has no other use.
  child.channel?.unref();
  for await (const line of child.stdout ? createInterface(child.stdout) : []) {
    const settings = [...line.matchAll(/(ERRAND_LLM_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
    if (settings.length > 0) return { env: Object.fromEntries(settings) as Record<string, string>, close };
  }
  throw new KnownError(`The scripted model ${file} did not start`);
}
