import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';

/** GET /v1/sessions/:session/messages */
export class SessionMessagesQuery {
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(128) agent?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() @MaxLength(100) cursor?: string;
}

/** GET and PATCH /v1/sessions/:session/state */
export class SessionStateQuery {
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(128) agent?: string;
}
