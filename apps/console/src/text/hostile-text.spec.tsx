import { render } from 'preact-render-to-string';
import { HostileText } from './hostile-text.js';

describe('The component that shows hostile text', () => {
  it('Markup stays text', () => {
    expect(render(<HostileText text={'<img src=x onerror=alert(1)>&amp;'} />)).toBe(
      '<bdi class="hostile">&lt;img src=x onerror=alert(1)>&amp;amp;</bdi>',
    );
  });

  it('A character that one could not see becomes a mark with its name', () => {
    expect(render(<HostileText text={'a\u202Eb'} />)).toBe(
      '<bdi class="hostile">a<span class="mark" title="right-to-left override">⟨U+202E⟩</span>b</bdi>',
    );
  });

  it('A long text is cut at 2,000 characters and offers the rest', () => {
    const html = render(<HostileText text={'x'.repeat(5_000)} />);
    expect(html).toContain(`${'x'.repeat(2_000)}…`);
    expect(html).not.toContain('x'.repeat(2_001));
    expect(html).toContain('Show 3,000 more characters');
  });

  it('In a place that links to the whole, nothing is offered', () => {
    expect(render(<HostileText text="long text" limit={4} isFixed />)).toBe('<bdi class="hostile">long…</bdi>');
  });
});
