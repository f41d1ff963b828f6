import type { Json } from '@errand/contracts';
import { Allow, ArrayMaxSize, IsArray, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

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

/** POST /v1/sessions/:session/events */
export class EventRequest {
  @IsString()
  @MaxLength(128)
  @Matches(/^\S+$/, { message: 'type must be a name without blanks, such as npc.moved' })
  type: string;

  @Allow() payload?: Json;
  @IsOptional() @IsArray() @ArrayMaxSize(64) @IsString({ each: true }) agents?: string[];
}
