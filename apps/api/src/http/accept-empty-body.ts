import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

/**
 * Many clients announce JSON with every POST, also where they send nothing. That is no fault: nothing counts as an empty object,
 * and what needs more says so.
 */
@Injectable()
export class AcceptEmptyBody implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async ({ headers }) => {
      const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
      if (isEmpty && headers['content-type']?.startsWith('application/json')) delete headers['content-type'];
    });
    fastify.addHook('preValidation', async (request) => {
      if (request.method === 'POST' && request.body === undefined) request.body = {};
    });
  }
}
