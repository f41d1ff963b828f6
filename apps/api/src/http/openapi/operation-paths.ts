import { answers } from './path-terms.js';

/** For those who operate it. */
export const OPERATION_PATHS = {
  '/healthz': {
    get: { tags: ['operation'], summary: 'The process lives', responses: { 200: { description: 'It does' } } },
  },
  '/readyz': {
    get: {
      tags: ['operation'],
      summary: 'A submission would be accepted now',
      responses: { 200: answers('It would', 'Readiness'), 503: answers('It would not, and why', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      tags: ['operation'],
      summary: 'Figures of this process, and the depth of the queues, for Prometheus',
      responses: { 200: { description: 'Figures', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
};
