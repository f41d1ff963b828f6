import { MESSAGE_FORMS } from '@errand/contracts';
import { MessagesQuery } from '../../messages/message-requests.js';
import { ANSWERED, ID, NOT_FOUND, parameter, problem, queryOf, responds, takes } from './path-terms.js';

/** Paths for the calls of model APIs. */
export const MESSAGE_PATHS = {
  '/v1/invocations/{id}/messages': {
    get: {
      operationId: 'getInvocationMessages',
      tags: ['invocations'],
      summary: 'Read the answers to the calls of an ended invocation as messages of a model API',
      parameters: [
        ID,
        ...queryOf(MessagesQuery, {
          format: ['The API; by default that of the submitted `message`, else `openai`', { enum: MESSAGE_FORMS }],
        }),
      ],
      responses: {
        200: responds('The messages, ready to append to the conversation', 'MessageList'),
        400: problem('`invalid_request`: an unknown format'),
        ...NOT_FOUND,
        409: problem('`conflict`: the invocation has not ended'),
      },
    },
  },
  '/v1/invocations/{id}/calls/{callId}/result': {
    post: {
      operationId: 'answerCall',
      tags: ['invocations'],
      summary: 'Answer an external call by the id that the model gave it. The same answer may be sent again',
      parameters: [ID, parameter('path', 'callId', 'The id of a call of the submitted `message`')],
      requestBody: takes('AnswerRequest'),
      responses: ANSWERED,
    },
  },
};
