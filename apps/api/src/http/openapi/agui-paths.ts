import { header, parameter, problem, QUEUE_FULL, REDIS_AWAY, takes, TRACE } from './path-terms.js';

const ACCEPT = parameter(
  'header',
  'Accept',
  '`application/vnd.ag-ui.event+proto` asks for protobuf; server-sent events otherwise',
);
const RUN = {
  description:
    'The events of the run, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`. A heartbeat comment comes every 15 s',
  headers: { 'Errand-Invocation': header('The id of the turn that the run shows. Absent if the run has none') },
  content: {
    'text/event-stream': { schema: { type: 'string' } },
    'application/vnd.ag-ui.event+proto': { schema: { type: 'string', format: 'binary' } },
  },
};
const RESPONSES = {
  200: RUN,
  404: problem('`not_found`: there is no such agent, or it cannot run here'),
  422: problem('`invalid_request`: the body is not the input of a run; `errors` names each wrong part'),
  429: QUEUE_FULL,
  503: REDIS_AWAY,
};
const shared = { tags: ['agents'], requestBody: takes('RunAgentInput'), responses: RESPONSES };

/** Paths for the front ends of agents. */
export const AGUI_PATHS = {
  '/agui/{agent}': {
    post: {
      operationId: 'runAgent',
      summary: 'Run an agent with AG-UI 1.0: a new message, the results of client tools, or the answers to interrupts',
      ...shared,
      parameters: [parameter('path', 'agent', 'The id of an agent with a deliberation workflow'), ACCEPT, TRACE],
    },
  },
  '/agui': {
    post: {
      operationId: 'runDefaultAgent',
      summary:
        'Run the agent of `forwardedProps.agent`, else of ERRAND_DEFAULT_AGENT, else the only one, with AG-UI 1.0',
      ...shared,
      parameters: [ACCEPT, TRACE],
    },
  },
};
