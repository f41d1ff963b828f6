import { AGUI_BOUNDS } from '@errand/agents';
import { anything, free, list, object, text } from './schema-terms.js';

const MESSAGE = object(
  { id: text, role: text, content: anything, toolCallId: text, toolCalls: list(free), name: text, error: text },
  ['role'],
);
const CLIENT_TOOL = object({ name: text, description: text, parameters: free }, ['name']);
const CONTEXT = object({ description: text, value: text });
const RESUME = object(
  {
    interruptId: { ...text, description: 'The id of an interrupt that ended an earlier run' },
    status: { enum: ['resolved', 'cancelled'] },
    payload: { description: 'The answer; it fits `responseSchema` of the interrupt' },
  },
  ['interruptId', 'status'],
);

/** The bodies of AG-UI. Its own schema checks them; this one describes the parts that Errand reads. */
export const AGUI_SCHEMAS = {
  RunAgentInput: {
    description:
      'The input of a run, as AG-UI 1.0 defines it. Older front ends may say `tool_id` and `tool_name`, and leave out message ids',
    ...object(
      {
        threadId: { ...text, minLength: 1, maxLength: 256, description: 'The session' },
        runId: {
          ...text,
          minLength: 1,
          maxLength: 256,
          description: 'The same id gives the same run again. With another input it is a conflict',
        },
        parentRunId: text,
        protocolVersion: text,
        messages: {
          ...list(MESSAGE),
          description:
            'A last message of the role `user` begins a turn with the messages that the thread does not have. Last messages of the role `tool` answer calls of client tools',
        },
        tools: { ...list(CLIENT_TOOL), maxItems: AGUI_BOUNDS.tools, description: 'Tools that the client itself runs' },
        context: { ...list(CONTEXT), maxItems: AGUI_BOUNDS.context },
        state: { description: 'An object: its keys are laid over the world state of the session' },
        forwardedProps: {
          description:
            '`agent`: the agent of a request to `/agui`; `options`: those of a submission. Others are ignored',
        },
        resume: { ...list(RESUME), maxItems: AGUI_BOUNDS.answers, description: 'The answers to interrupts' },
      },
      ['threadId', 'runId', 'messages'],
    ),
  },
};
