import { didYouMean, FEED_TOPICS, isInvocationId, type FeedTopic } from '@errand/contracts';
import type { InvocationQuery } from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import { readFilters } from '../http/read-list-query.js';

/** The parameters of `GET /v1/events`. */
export interface FeedQuery {
  topics: ReadonlySet<FeedTopic>;
  /** The invocations whose own events the stream has, too. */
  follow: readonly string[];
  filter: InvocationQuery;
}

const MOST_FOLLOWED = 20;

/** @throws ProblemError with the first wrong parameter, and how to fix it */
export function readFeedQuery({ topics, follow, ...filters }: Readonly<Record<string, unknown>>): FeedQuery {
  if (filters['updatedAfter'] !== undefined)
    refuse('updatedAfter has no meaning here; send the header Last-Event-ID to resume');
  return { topics: readTopics(topics), follow: readFollowed(follow), filter: readFilters(filters) };
}

function readTopics(given: unknown): ReadonlySet<FeedTopic> {
  const names = partsOf('topics', given);
  if (!names) return new Set(FEED_TOPICS);
  const known: readonly string[] = FEED_TOPICS;
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    const meant = didYouMean(wrong, known);
    const hint = meant === undefined ? '' : `, did you mean '${meant}'?`;
    refuse(`topics must have only ${known.join(', ')}, not '${wrong.slice(0, 40)}'${hint}`);
  }
  return new Set(names as FeedTopic[]);
}

function readFollowed(given: unknown): string[] {
  const ids = [...new Set(partsOf('follow', given) ?? [])];
  if (ids.length > MOST_FOLLOWED)
    refuse(`follow may have ${MOST_FOLLOWED} ids at most, not ${ids.length}; follow the others in another stream`);
  const wrong = ids.find((id) => !isInvocationId(id));
  if (wrong !== undefined) refuse(`follow must have ids such as inv_01…, not '${wrong.slice(0, 80)}'`);
  return ids;
}

/** The parts of a comma list. Some generated clients repeat the parameter for each part. */
function partsOf(name: string, given: unknown): string[] | undefined {
  if (given === undefined) return undefined;
  const text = Array.isArray(given) ? given.join(',') : given;
  if (typeof text !== 'string' || text === '' || text.split(',').includes(''))
    return refuse(`${name} must have parts that are separated by one comma, such as a,b`);
  return text.split(',');
}

function refuse(message: string): never {
  throw new ProblemError('invalid_request', message);
}
