import { LoginSessions, Queues, readSealingKey } from '@errand/queue';
import type { Provider } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { Callers } from './callers.js';

/** Who may call the API, and the login sessions of browsers. */
export const LOGIN_PROVIDERS: Provider[] = [
  {
    provide: Callers,
    inject: [ApiConfiguration, Queues],
    useFactory: ({ ERRAND_API_KEYS: keys = [] }: ApiConfiguration, queues: Queues) =>
      new Callers(keys, () => readSealingKey(queues)),
  },
  {
    provide: LoginSessions,
    inject: [ApiConfiguration, Queues],
    useFactory: ({ ERRAND_LOGIN_IDLE_MS: idleMs }: ApiConfiguration, queues: Queues) =>
      new LoginSessions(queues, idleMs),
  },
];
