import { isInvocationId, type Json } from '@errand/contracts';
import { openResult, Queues, readerOfValue, type ResultReader } from '@errand/queue';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { notFound } from './find-invocation.js';
import { Tenant } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { partOfResult } from './part-of-result.js';
import { valueAt, wholeNumber } from './read-parameter.js';
import { ResultQuery } from './control-requests.js';
import { searchResult } from './search-result.js';

/** Characters of a result, or places in it, that are given where no limit is named; and the most that are given at once. */
const DEFAULT_PART = 8_000;
const LARGEST_PART = 1_000_000;
const DEFAULT_MATCHES = 20;
const MOST_MATCHES = 100;

@Controller('v1/invocations/:id/result')
export class ResultController {
  constructor(private readonly queues: Queues) {}

  /**
   * The result, or with `path` (JSON Pointer) the value there, as text by characters, for readers with a budget: a string as it is,
   * anything else as JSON. What `path` leads to is `value` as well, where all of it is given: its text does not tell 5 from "5".
   * With `q`, the places where that stands in it.
   */
  @Get()
  async read(@Tenant() tenant: string, @Param('id') id: string, @Query() { path, q, offset, limit }: ResultQuery) {
    const reader = await this.open(tenant, id, path ?? '');
    const from = wholeNumber('offset', offset, 0);
    if (q !== undefined) {
      const most = readLimit(limit, DEFAULT_MATCHES, MOST_MATCHES);
      const { matches, next } = await searchResult(reader, q, { from, limit: most });
      return { matches, total: reader.total, nextOffset: next };
    }
    const to = Math.min(from + readLimit(limit, DEFAULT_PART, LARGEST_PART), reader.total);
    const { text, offset: begin, nextOffset } = await partOfResult(reader, from, to);
    const isWhole = path !== undefined && begin === 0 && nextOffset === null;
    return { text, offset: begin, total: reader.total, nextOffset, ...(isWhole && { value: await reader.whole() }) };
  }

  /** Only the step that `path` leads into is read, and of that, without a further path, only the part that is asked for. */
  private async open(tenant: string, id: string, path: string): Promise<ResultReader> {
    const result = isInvocationId(id) ? await openResult(this.queues, tenant, id) : undefined;
    if (!result) return notFound(id);
    const { status, steps } = result;
    if (status !== 'succeeded')
      throw new ProblemError('conflict', `The invocation is ${status}; only one that succeeded has a result`);
    if (steps.length === 1) return at(steps[0]!, path);
    const [, index, rest = ''] = /^\/(0|[1-9]\d{0,3})(\/.*)?$/s.exec(path) ?? [];
    const step = index === undefined ? undefined : steps[Number(index)];
    if (step) return at(step, rest, `/${index}`);
    const whole: Json[] = await Promise.all(steps.map((each) => each.whole()));
    return readerOfValue(valueAt(whole, path));
  }
}

async function at(step: ResultReader, path: string, above = ''): Promise<ResultReader> {
  return path === '' ? step : readerOfValue(valueAt(await step.whole(), path, above));
}

/** With a part of nothing, a reader would never come to the end. */
function readLimit(text: string | undefined, fallback: number, most: number): number {
  const limit = wholeNumber('limit', text, fallback);
  if (limit === 0) throw new ProblemError('invalid_request', 'limit must be at least 1');
  return Math.min(limit, most);
}
