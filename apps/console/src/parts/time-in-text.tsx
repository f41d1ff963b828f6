import { HostileText } from '../text/hostile-text.js';
import { Time } from './time.js';

const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;
/** Further ones stay text, because a text may consist of them. */
const MOST_TIMES = 4;

/** Shows a text of the API. ISO times in it are in the zone of the reader, and everything else is hostile text. */
export function TimeInText({ text, isFixed = false }: { text: string; isFixed?: boolean }) {
  const pieces = text.split(ISO_TIME);
  const rest = pieces.splice(MOST_TIMES * 2).join('');
  return (
    <>
      {[...pieces, rest].map((piece, index) => {
        if (index % 2 === 1 && !Number.isNaN(Date.parse(piece))) return <Time key={index} at={piece} />;
        return piece && <HostileText key={index} text={piece} isFixed={isFixed} />;
      })}
    </>
  );
}
