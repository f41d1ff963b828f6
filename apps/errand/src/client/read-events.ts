import { EventSourceParserStream } from 'eventsource-parser/stream';

/** One server-sent event. An event without an id has the id of the event before it. */
export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** Reads a `text/event-stream`. An unfinished event at its end is dropped. */
export async function* readEvents(body: NonNullable<Response['body']>): AsyncGenerator<ServerEvent> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let lastId = '';
  for await (const { id = lastId, event = 'message', data } of events) {
    lastId = id;
    yield { id, event, data };
  }
}
