import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import type { DeliveryStatus } from '@errand/contracts';

/** The statuses of a delivery. */
export const DELIVERY_STATUSES = [
  'waiting',
  'pending',
  'delivered',
  'failed',
  'skipped',
] as const satisfies readonly DeliveryStatus[];

/** GET /v1/deliveries */
export class DeliveriesQuery {
  @IsOptional() @IsIn(DELIVERY_STATUSES) status?: DeliveryStatus;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) receiver?: string;
  @IsOptional() @IsString() from?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}

/** GET /v1/effects */
export class EffectsQuery {
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) session?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) toolId?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}
