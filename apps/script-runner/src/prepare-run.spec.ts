import type { ScriptBundle, Tool } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import type { Queues, Work } from '@errand/queue';
import type { EgressGrant } from './egress/index.js';
import { PrepareRun } from './prepare-run.js';

const HOST = 'Hidden-Host.example';
const script: ScriptBundle = { language: 'python', entry: 'main.py', files: [] };
const tool = {
  toolId: 'web:fetch',
  securityContext: { secrets: ['HOST'], networkAccess: { allowHosts: ['allowed.example'] } },
} as unknown as Tool;
const work = { record: { tenant: 'acme', attachments: [] } } as unknown as Work;

/** The log lines of a run whose script connects to HOST, while its dependencies are installed from HOST. */
async function linesOfRun(): Promise<string[]> {
  const lines: string[] = [];
  let grant: EgressGrant | undefined;
  const resources = {
    environments: {
      prepare: async (_script: ScriptBundle, { onLog }: { onLog: (lines: string[]) => void }) =>
        onLog([`[errand] installing from ${HOST}`]),
    },
    proxy: { open: (given: EgressGrant) => ((grant = given), () => {}) },
    secrets: { read: async () => ({ HOST }) },
    folders: { mountsFor: async () => [] },
    egressBytes: 1,
    artifactBytes: 1,
  } as unknown as ConstructorParameters<typeof PrepareRun>[1];
  const logger = { info: () => {} } as unknown as Logger;
  const run = { invocationId: 'inv_1', toolId: 'web:fetch', tool, script, work };
  const onLog = (added: string[]) => void lines.push(...added);
  const { mask } = await new PrepareRun({ redis: {} } as Queues, resources, logger).prepare({ ...run, onLog });
  expect(mask.text(HOST)).toBe('[secret HOST]');
  const host = HOST.toLowerCase();
  grant?.onConnect({ host, port: 443, refused: `web:fetch may not reach ${host}:443` });
  return lines;
}

it('The log lines of a run about its network and dependencies show no secrets', async () => {
  expect(await linesOfRun()).toEqual([
    '[errand] installing from [secret HOST]',
    '[errand] web:fetch may not reach [secret HOST]:443',
  ]);
});
