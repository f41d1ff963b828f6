import { once } from 'node:events';
import { connect } from 'node:net';
import { inPatience } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { startApi } from '../src/start.js';

const stack = useStack();

describe('An API that closes', () => {
  it.each(['/v1/events', '/v1/invocations/:id/events'])(
    'A stream of %s that opens late does not hold the API',
    async (path) => {
      const id = await stack.client.submit({ toolId: 'core:echo', arguments: { value: 1 } });
      const api = await startApi({ ...stack.env, ERRAND_LOG_LEVEL: 'fatal', ERRAND_PORT: '0' });
      const { hostname, port, host } = new URL(api.url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.resume();
      const ended = once(socket, 'close');
      const closed = api.close();
      socket.write(`GET ${path.replace(':id', id)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await inPatience(Promise.all([closed, ended]), () => `the API has closed, and the stream of ${path} has ended`);
    },
  );
});
