import type { SearchResults } from '@errand/contracts';
import { Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Controller, Get, Query } from '@nestjs/common';
import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { Scope } from '../http/guard-access.js';
import type { RequestScope } from '../http/request-scope.js';
import { findEverything } from './find-everything.js';

/** GET /v1/search */
export class SearchQuery {
  @IsString() @IsNotEmpty() @MaxLength(256) q: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}

/** Finds what a person names: by the beginning of an id, or by a part of a name. */
@Controller('v1/search')
export class SearchController {
  constructor(
    private readonly queues: Queues,
    private readonly registry: Registry,
  ) {}

  @Get()
  find(@Query() { q }: SearchQuery, @Scope() { tenant }: RequestScope): Promise<SearchResults> {
    return findEverything({ queues: this.queues, registry: this.registry }, tenant, q.trim());
  }
}
