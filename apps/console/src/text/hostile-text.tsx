import { useState } from 'preact/hooks';
import { formatCount, plural } from '../parts/format.js';
import { cutText, fewPieces, markText, SHOWN_CHARACTERS } from './mark-text.js';

/** Marks that are elements of their own. Further ones are only characters, because a text may consist of them. */
const MARKS = 100;
const MARKS_OF_CELL = 8;

/**
 * Shows a text from a tool, model, caller or library file. This is the only way in which the console shows such a text: as characters, with
 * marks for those that one could not see. Only the beginning of a long text is shown, with a button for the rest.
 *
 * @param limit the number of characters to show at first
 * @param isFixed nothing is offered for the rest, for places that link to the whole
 */
export function HostileText({
  text,
  limit = SHOWN_CHARACTERS,
  isFixed = false,
}: {
  text: string;
  limit?: number;
  isFixed?: boolean;
}) {
  const [shown, setShown] = useState(limit);
  const cut = cutText(text, shown);
  const rest = text.length - cut.length;
  const more = Math.min(rest, shown * 9);
  return (
    <>
      <bdi class="hostile">
        {fewPieces(markText(cut), isFixed ? MARKS_OF_CELL : MARKS).map((piece) =>
          typeof piece === 'string' ? (
            piece
          ) : (
            <span class="mark" title={piece.name}>
              {piece.mark}
            </span>
          ),
        )}
        {rest > 0 && '…'}
      </bdi>
      {rest > 0 && !isFixed && (
        <button type="button" class="link" onClick={() => setShown(shown * 10)}>
          Show {formatCount(more)} more {plural(more, 'character', 'characters')}
        </button>
      )}
    </>
  );
}
