import { problem, responds } from './path-terms.js';
import { list, object, page, text, whole } from './schema-terms.js';

/** Paths of the attack runs of the script-runners. */
export const SANDBOX_PATHS = {
  '/v1/sandbox/report': {
    get: {
      operationId: 'getSandboxReport',
      tags: ['operation'],
      summary: 'Read the last attack run of each script-runner',
      responses: { 200: responds('The reports, newest first', 'SandboxReportList') },
    },
  },
  '/v1/sandbox/check': {
    post: {
      operationId: 'checkSandbox',
      tags: ['operation'],
      summary: "Let every script-runner attack its sandbox. It needs the operator's key",
      responses: {
        202: responds('The attack runs are requested', 'SandboxCheck'),
        403: problem("`forbidden`: only the operator's key may do this"),
      },
    },
  },
};

const attack = object({
  name: text,
  held: { type: 'boolean', description: 'The sandbox has stopped the attack' },
  tookMs: whole,
  note: text,
});

export const SANDBOX_SCHEMAS = {
  SandboxCheck: object({ status: { const: 'requested' } }),
  SandboxReportList: page('SandboxReport'),
  SandboxReport: object(
    {
      runner: text,
      host: text,
      at: { ...text, format: 'date-time' },
      runtime: { ...text, description: 'The container runtime; `default` if the engine chooses it' },
      state: { enum: ['running', 'done', 'failed'] },
      total: { ...whole, description: 'The number of attacks of the run' },
      attacks: list(attack),
      error: { ...text, description: 'Why the run has failed' },
    },
    ['runner', 'host', 'at', 'runtime', 'state', 'total', 'attacks'],
  ),
} satisfies Record<string, object>;
