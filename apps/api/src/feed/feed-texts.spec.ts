import { LOG_START } from '@errand/queue';
import { OpenWaits } from '../stream/open-waits.js';
import { Patience } from '../stream/patience.js';
import { FeedQueue } from './feed-queue.js';
import { feedTexts } from './feed-texts.js';

const POSITION = { changes: new Map<string, number>(), log: LOG_START, at: 1 };

function openQueue(): FeedQueue {
  const queue = new FeedQueue({ topics: new Set(['library']), follow: [], filter: {} }, new Map());
  queue.begin(POSITION);
  return queue;
}

const tell = (queue: FeedQueue) =>
  queue.take([{ topic: 'library', event: 'library', data: '{"problems":[]}', position: POSITION }]);

describe('The text of the feed', () => {
  it('A stream that always has events has heartbeats, too', async () => {
    const queue = openQueue();
    const texts = feedTexts(queue, new Patience(() => () => {}, new OpenWaits()), () => {}, 20);
    let all = '';
    tell(queue);
    for await (const text of texts) {
      all += text;
      tell(queue);
      if (all.includes(': still here')) break;
    }
    expect(all).toMatch(/^id: .+\nevent: library\ndata: \{"problems":\[\]\}\n\n/);
  });

  it('A stream without events has heartbeats only', async () => {
    const texts = feedTexts(openQueue(), new Patience(() => () => {}, new OpenWaits()), () => {}, 1);
    expect((await texts.next()).value).toBe(': still here\n\n');
    await texts.return(undefined);
  });
});
