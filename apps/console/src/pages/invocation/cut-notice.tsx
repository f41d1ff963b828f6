import type { Invocation } from '@errand/contracts';
import { formatCount, plural } from '../../parts/format.js';
import { pageOf } from './page-address.js';
import { cutSteps } from './cut-steps.js';

/** Says that the model read only the beginning of a result, and where the whole one is. */
export function CutNotice({ invocation }: { invocation: Invocation }) {
  const [first, ...more] = cutSteps(invocation);
  if (!first) return null;
  const page = pageOf(invocation.id);
  const length = `${formatCount(first.total)} ${plural(first.total, 'character', 'characters')}`;
  const others =
    more.length > 0 && `${formatCount(more.length)} ${plural(more.length, 'more result is', 'more results are')} cut. `;
  return (
    <section class="notice" data-testid="cut-short" aria-label="Result cut short">
      <p class="notice-title">The model read only the beginning: the result was cut short.</p>
      <p class="notice-text">
        The result of step {first.index} has {length}, and the whole observation has{' '}
        {formatCount(invocation.observation?.length ?? 0)}. {others}
        Nothing is lost: the <a href={`${page}?tab=result`}>whole result</a> is stored, and{' '}
        <a href={`${page}?tab=text`}>Text</a> shows what the model read. Let the tool return less, or submit with a
        larger <code>maxResultChars</code>.
      </p>
    </section>
  );
}
