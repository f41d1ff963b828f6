import { STATUSES } from '@errand/contracts';
import { STEP_PROGRESS } from './invocation-schemas.js';
import { anything, object, ref, text, whole } from './schema-terms.js';
import { TURN_EVENTS } from './turn-schemas.js';

const BASE = { invocationId: text, at: { ...text, format: 'date-time' } };

/** The `data` of an event of the stream of an invocation. */
const event = (name: string, meaning: string, fields: Record<string, object>, optional: readonly string[] = []) => ({
  description: `The data of \`event: ${name}\`: ${meaning}`,
  ...object(
    { ...BASE, ...fields },
    Object.keys({ ...BASE, ...fields }).filter((field) => !optional.includes(field)),
  ),
});

const EVENTS = {
  StatusEvent: event('status', 'the invocation has a new status', { status: { enum: STATUSES } }),
  StepEvent: event(
    'step',
    'a step, or one of its nodes, has a new status',
    { index: whole, status: { enum: [...STATUSES, 'skipped'] }, nodeId: text, ...STEP_PROGRESS },
    ['nodeId', 'attempt', 'waiting'],
  ),
  ProgressEvent: event(
    'progress',
    'a part of the work is done',
    { value: { type: 'number', minimum: 0, maximum: 1 }, message: text },
    ['message'],
  ),
  LogEvent: event('log', 'a script or node wrote a line', {
    line: text,
    stream: { enum: ['stderr', 'node'] },
    step: whole,
  }),
  OutputEvent: event(
    'output',
    'a chunk of an output that is streamed',
    { step: whole, output: { ...text, description: 'The output of the workflow' }, chunk: anything },
    ['output'],
  ),
  ...Object.fromEntries(
    TURN_EVENTS.map(([name, ...rest]) => [
      `${name.charAt(0).toUpperCase()}${name.slice(1)}Event`,
      event(name, ...rest),
    ]),
  ),
  GapEvent: event('gap', 'Errand no longer keeps these events', { missing: whole, message: text }),
  EndEvent: event('end', 'the invocation has ended. The stream closes', { invocation: ref('Invocation') }),
};

/** The events of the stream of an invocation. */
export const EVENT_SCHEMAS = {
  InvocationEvent: {
    description: 'The data of one server-sent event. Its `event` names the kind',
    anyOf: Object.keys(EVENTS).map(ref),
  },
  ...EVENTS,
};
