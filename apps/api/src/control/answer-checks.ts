import type { Json, JsonSchema, Problem } from '@errand/contracts';
import { ThreadMemoryError, ThreadPool, ThreadTimeoutError } from '@errand/threads';
import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { ProblemError } from '../http/problem-error.js';
import type { AnswerCheckOutcome, AnswerCheckTask } from './answer-check-thread.js';

/** The largest schema compiles within a second. The limit ends a check that would take for ever. */
const TIMEOUT_MS = 5_000;
const MEMORY_MB = 128;

/** Highest number of checks of one tenant that are in progress or wait. */
const MAX_OF_TENANT = 1_000;

/**
 * Checks answers against the schemas of their waits, and such schemas. A schema may come from a caller and be hostile, so the checks run
 * in a thread. Tenants take turns.
 */
@Injectable()
export class AnswerChecks {
  private readonly pool = new ThreadPool<AnswerCheckTask, AnswerCheckOutcome>({
    file: join(__dirname, 'answer-check-thread'),
    threads: 1,
    memoryMb: MEMORY_MB,
  });
  private readonly pending = new Map<string, number>();

  /**
   * The problems of an answer, as JSON Pointers into it.
   * @throws ProblemError `conflict` if the schema cannot be used; `rate_limited`; `invalid_request` if the check costs too much
   */
  async problemsOf(result: Json, schema: JsonSchema | boolean, tenant: string): Promise<Problem[]> {
    const outcome = await this.run({ schema, result }, tenant);
    if (!('ofSchema' in outcome)) return [];
    const [fault] = outcome.ofSchema;
    if (!fault) return outcome.ofResult;
    const detail = `The schema of the answer cannot be used (${fault.message}); only an error ends this wait`;
    throw new ProblemError('conflict', detail);
  }

  /** The problems of each schema, as JSON Pointers into it. @throws ProblemError as `problemsOf` */
  async faultsOf(schemas: readonly (JsonSchema | boolean)[], tenant: string): Promise<Problem[][]> {
    if (schemas.length === 0) return [];
    const outcome = await this.run({ schemas }, tenant);
    return 'ofSchemas' in outcome ? outcome.ofSchemas : [];
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.pool.close();
  }

  private async run(task: AnswerCheckTask, tenant: string): Promise<AnswerCheckOutcome> {
    const own = this.pending.get(tenant) ?? 0;
    if (own >= MAX_OF_TENANT)
      throw new ProblemError('rate_limited', `${own} checks of your answers are in progress; send the next one later`, {
        retryAfterSeconds: 1,
      });
    this.pending.set(tenant, own + 1);
    try {
      return await this.pool.run(task, { timeoutMs: TIMEOUT_MS, key: tenant });
    } catch (error) {
      if (!(error instanceof ThreadTimeoutError || error instanceof ThreadMemoryError)) throw error;
      const detail =
        'The check against the schema costs too much, so it was stopped; simplify the schema, or send less';
      throw new ProblemError('invalid_request', detail, { status: 422 });
    } finally {
      const left = (this.pending.get(tenant) ?? 1) - 1;
      if (left > 0) this.pending.set(tenant, left);
      else this.pending.delete(tenant);
    }
  }
}
