import { A2aTasks } from './a2a-tasks.js';
import { AgentCards } from './agent-cards.js';
import { AnswerRequest } from './answer-request.js';
import { FollowTask } from './follow-task.js';
import { ListTasks } from './list-tasks.js';
import { PushRequests } from './push-requests.js';
import { SendMessage } from './send-message.js';

/** The services of A2A. */
export const A2A_PROVIDERS = [
  A2aTasks,
  SendMessage,
  FollowTask,
  ListTasks,
  PushRequests,
  AgentCards,
  AnswerRequest,
] as const;
