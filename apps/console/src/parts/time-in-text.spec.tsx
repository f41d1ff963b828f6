import { renderToString } from 'preact-render-to-string';
import { formatTime } from './format.js';
import { TimeInText } from './time-in-text.js';

const AT = '2026-11-27T02:40:13.562Z';

describe('A text of the API with times', () => {
  it('A time in a text is in the zone of the reader, with the ISO time beside it', () => {
    const html = renderToString(<TimeInText text={`paused since ${AT}: <b>tz</b>`} />);
    expect(html).toContain(`<time datetime="${AT}" title="${AT}">${formatTime(new Date(AT))}</time>`);
    expect(html.replace(/<time.*<\/time>/, '')).not.toContain(AT);
    expect(html).toContain('&lt;b>tz&lt;/b>');
  });

  it('A time that no calendar has, and times without end, stay text', () => {
    expect(renderToString(<TimeInText text="until 2026-99-99T99:99:99Z" />)).toContain('2026-99-99T99:99:99Z');
    const html = renderToString(<TimeInText text={`${AT} `.repeat(500)} />);
    expect(html.match(/<time/g)).toHaveLength(4);
    expect(html.length).toBeLessThan(4_000);
  });
});
