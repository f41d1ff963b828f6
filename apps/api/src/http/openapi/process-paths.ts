import { LIST_TENANT, NAMES_ANOTHER, NOT_FOUND, parameter, problem, responds } from './path-terms.js';
import { list, object, partialPage, ref, text, whole } from './schema-terms.js';

const ID = parameter('path', 'id', 'The id of a process. It is new at each start');

/** Paths of the processes of Errand. */
export const PROCESS_PATHS = {
  '/v1/processes': {
    get: {
      operationId: 'listProcesses',
      tags: ['operation'],
      summary: 'Read the APIs, workers and script-runners, and the jobs that each runs. A tenant sees its own jobs',
      parameters: [LIST_TENANT],
      responses: {
        200: responds('The processes that live, and those that were lost in the last hour', 'ProcessList'),
        ...NAMES_ANOTHER,
      },
    },
  },
  '/v1/processes/{id}': {
    get: {
      operationId: 'getProcess',
      tags: ['operation'],
      summary: 'Read one process and the jobs that it runs',
      parameters: [ID],
      responses: { 200: responds('The process', 'Process'), ...NOT_FOUND },
    },
  },
  '/v1/processes/{id}/drain': {
    post: {
      operationId: 'drainProcess',
      tags: ['operation'],
      summary:
        "Let a worker or script-runner end what it has and take nothing new, as on SIGTERM. It does not exit. It needs the operator's key",
      parameters: [ID],
      responses: {
        202: responds('The process drains, or will within a second', 'Process'),
        403: problem("`forbidden`: only the operator's key may do this"),
        ...NOT_FOUND,
        409: problem('`conflict`: the process is lost, or is an API'),
      },
    },
  },
};

const when = { type: 'string', format: 'date-time' };
const maybe = { type: ['string', 'null'] };
const JOB = {
  invocationId: text,
  step: { type: ['integer', 'null'], description: 'Null for an invocation of several calls, and for a delivery' },
  toolId: maybe,
  since: { ...when, description: 'When the process began it' },
};
const PROCESS = {
  id: text,
  kind: { enum: ['api', 'worker', 'runner'] },
  host: { ...maybe, description: 'Null for everybody but the operator' },
  version: text,
  startedAt: when,
  lastSeenAt: when,
  state: { enum: ['ready', 'draining', 'lost'] },
  queues: list(text),
  labels: list(text),
  slots: whole,
  inHand: { ...list(ref('JobInHand')), description: 'The jobs that it runs now' },
  load: ref('ProcessLoad'),
};

/** Processes. */
export const PROCESS_SCHEMAS = {
  ProcessList: partialPage('Process'),
  Process: object(
    {
      ...PROCESS,
      containers: {
        ...object({ waiting: whole, running: whole }),
        description: 'Only of a script-runner: its started containers',
      },
      ended: { const: true, description: 'Only in the feed: it has ended, and has left the list' },
      left: {
        ...list(ref('JobLeft')),
        description: 'Only of a lost process: the jobs that it had, and where they are now',
      },
    },
    Object.keys(PROCESS),
  ),
  JobInHand: object(JOB),
  JobLeft: object({
    ...JOB,
    process: { ...maybe, description: 'The process that has the job now' },
    now: {
      enum: ['in-hand', 'waiting', 'taken-over', 'gone'],
      description: '`in-hand`: nobody has put it back yet. `gone`: it has ended, or is not stored any more',
    },
  }),
  ProcessLoad: object({
    rssMb: whole,
    cpu: { type: 'number', description: 'Processor time in cores, since the heartbeat before' },
    eventLoopLagMs: whole,
  }),
} satisfies Record<string, object>;
