import { IsOptional, IsString } from 'class-validator';

/** GET /v1/invocations/:id/messages */
export class MessagesQuery {
  @IsOptional() @IsString() format?: string;
}
