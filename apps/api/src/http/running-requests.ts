import type { FastifyInstance } from 'fastify';
import type { RequestListener } from 'node:http';

const CHECK_MS = 20;

/** Counts the requests without an end of their response. */
export class RunningRequests {
  private count = 0;
  private readonly onEnd = () => void this.count--;

  /** The same listener, which counts its requests. */
  counting(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.count++;
      response.once('close', this.onEnd);
      listener(request, response);
    };
  }

  /** Runs `close`, and ends idle connections when no request runs. Each idle connection would keep the server open for more than a minute. */
  async closeWhenIdle({ server }: FastifyInstance, close: () => Promise<unknown>): Promise<void> {
    const timer = setInterval(() => void (this.count === 0 && server.closeAllConnections()), CHECK_MS);
    await close();
    clearInterval(timer);
  }
}
