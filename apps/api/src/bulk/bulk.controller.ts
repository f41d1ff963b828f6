import type { BulkAction, BulkDryRun, InvocationRow } from '@errand/contracts';
import { BULK_TOKEN_MS, BulkActions, MOST_OPEN_BULKS, Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiLogger } from '../api-tokens.js';
import { Scope } from '../http/guard-access.js';
import { readKeysetCursor, toKeysetCursor } from '../http/keyset-cursor.js';
import type { Page } from '../http/page-of.js';
import { ProblemError } from '../http/problem-error.js';
import { readListPage } from '../http/read-list-page.js';
import { limitOf } from '../http/read-parameter.js';
import type { RequestScope } from '../http/request-scope.js';
import { Callers } from '../login/callers.js';
import { requireScope } from '../login/require-scope.js';
import { countBulk, nextMatches } from './bulk-matches.js';
import { BulkListQuery, BulkRequest } from './bulk-requests.js';
import { BulkRunner } from './bulk-runner.js';
import { readBulkRequest, type AskedPlan } from './read-bulk-request.js';

const SAMPLE = 10;
const BULK_ID = /^blk_[0-9a-z]{20,60}$/;

/** Actions on many invocations: a dry run says what one would touch, and its token starts it. */
@Controller('v1/bulk')
export class BulkController {
  constructor(
    private readonly queues: Queues,
    private readonly registry: Registry,
    private readonly actions: BulkActions,
    private readonly runner: BulkRunner,
    private readonly callers: Callers,
    private readonly logger: ApiLogger,
  ) {}

  @Post()
  async start(
    @Req() request: FastifyRequest,
    @Scope() scope: RequestScope,
    @Body() body: BulkRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkDryRun | BulkAction> {
    requireScope(request.caller, 'operate');
    const asked = readBulkRequest(scope.tenant, body);
    const isStart = 'token' in asked;
    void reply.status(isStart ? HttpStatus.ACCEPTED : HttpStatus.OK);
    if (!isStart) return this.dryRun(scope, asked);
    const by = await this.callers.subjectOf(request.caller);
    return this.begin(scope.tenant, asked.token, { by, name: asked.name });
  }

  @Get()
  async list(
    @Req() { caller }: FastifyRequest,
    @Scope() { tenant }: RequestScope,
    @Query() { limit, cursor }: BulkListQuery,
  ): Promise<Page<BulkAction>> {
    requireScope(caller, 'read');
    const owner = { list: 'bulk', tenant };
    const after = readKeysetCursor(cursor, owner, BULK_ID);
    const { items, next } = await this.actions.list(tenant, limitOf(limit, 20), after);
    return { items, nextCursor: toKeysetCursor(owner, next) };
  }

  @Get(':id')
  async one(
    @Req() { caller }: FastifyRequest,
    @Scope() { tenant }: RequestScope,
    @Param('id') id: string,
  ): Promise<BulkAction> {
    requireScope(caller, 'read');
    return (BULK_ID.test(id) ? await this.actions.read(tenant, id) : undefined) ?? noAction(id);
  }

  /** Stops the action. What it has done so far stays done. An action that has ended stays as it is. */
  @Post(':id/abort')
  @HttpCode(HttpStatus.OK)
  async abort(
    @Req() { caller }: FastifyRequest,
    @Scope() { tenant }: RequestScope,
    @Param('id') id: string,
  ): Promise<BulkAction> {
    requireScope(caller, 'operate');
    const before = BULK_ID.test(id) ? await this.actions.abort(tenant, id) : undefined;
    if (before === undefined) return noAction(id);
    return (await this.actions.read(tenant, id)) ?? noAction(id);
  }

  private async dryRun(scope: RequestScope, asked: AskedPlan): Promise<BulkDryRun> {
    const { tenant } = scope;
    const [{ matched, byStatus }, sample] = await Promise.all([
      countBulk(this.queues, tenant, asked),
      this.sampleOf(scope, asked),
    ]);
    const token = await this.actions.prepare(tenant, { ...asked, matched });
    const [asOf, expiresAt] = [asked.asOf, Date.now() + BULK_TOKEN_MS].map((ms) => new Date(ms).toISOString());
    return { token, matched, byStatus, sample, asOf: asOf ?? '', expiresAt: expiresAt ?? '' };
  }

  private async sampleOf(scope: RequestScope, asked: AskedPlan): Promise<InvocationRow[]> {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const part = await nextMatches(this.queues, scope.tenant, asked, { limit: SAMPLE, after });
      ids.push(...part.matches.map(({ id }) => id));
      after = part.next;
    } while (after !== undefined && ids.length < SAMPLE);
    if (ids.length === 0) return [];
    const query = { ids: ids.slice(0, SAMPLE).join(','), view: 'row' };
    return (await readListPage({ queues: this.queues, registry: this.registry }, scope, query))
      .items as InvocationRow[];
  }

  private async begin(
    tenant: string,
    token: string,
    given: { by: string; name?: string | undefined },
  ): Promise<BulkAction> {
    const begun = await this.actions.begin(tenant, token, given);
    if (begun === 'unknown')
      throw new ProblemError(
        'not_found',
        'There is no dry run with this token; a token works for 10 min. Make a new dry run',
      );
    if (begun === 'used')
      throw new ProblemError('conflict', 'This token has begun its action already; make a new dry run for another one');
    if (begun === 'busy')
      throw new ProblemError('rate_limited', `${MOST_OPEN_BULKS} bulk actions run already; wait for one, or abort it`, {
        retryAfterSeconds: 5,
      });
    this.logger.info({ bulkId: begun.id, tenant, by: given.by }, 'bulk action accepted');
    this.runner.look();
    return (await this.actions.read(tenant, begun.id)) ?? noAction(begun.id);
  }
}

function noAction(id: string): never {
  throw new ProblemError('not_found', `There is no bulk action ${id.slice(0, 80)}; ended ones are kept for 7 days`);
}
