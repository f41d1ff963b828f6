import { messageOf } from './thrown.js';

/**
 * Where a text stops being JSON, as an offset into it. Not every message of `JSON.parse` says where; but a text cut off before the
 * mistake is merely incomplete, so the shortest beginning that is more than incomplete ends with the mistake.
 */
export function jsonErrorOffset(text: string): number {
  let sound = 0;
  let broken = text.length;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (isBroken(text.slice(0, middle))) broken = middle;
    else sound = middle;
  }
  return isBroken(text) ? broken - 1 : text.length;
}

function isBroken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const message = messageOf(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const incomplete = /end of JSON input|Unterminated string/.test(message) || Number(position) >= text.length;
    return !incomplete;
  }
}
