/** The output of set-up: one line for each step, on stderr, because stdout is for results. */

const colourful = process.stderr.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, green, yellow, red] = [1, 2, 32, 33, 31].map(paint);
const TITLE_WIDTH = 14;

export const say = (text = '') => process.stderr.write(`${text}\n`);
export const heading = (text) => say(`\n${bold(text)}`);
export const good = (title, detail) => say(`${green('✓')} ${title.padEnd(TITLE_WIDTH)} ${dim(detail)}`);
export const pending = (title, detail) => say(`${dim('…')} ${title.padEnd(TITLE_WIDTH)} ${dim(detail)}`);

/** Reports a problem that does not stop Errand. */
export const warn = (title, error) => complain(yellow('!'), title, error);
/** Reports a problem that ends the command. */
export const bad = (title, error) => complain(red('✗'), title, error);

function complain(mark, title, error) {
  const indent = ' '.repeat(TITLE_WIDTH + 3);
  say(`${mark} ${title.padEnd(TITLE_WIDTH)} ${visible(error.message).replaceAll('\n', `\n${indent}`)}`);
  if (error.fix) say(`${indent}To fix it: ${visible(error.fix)}`);
}

/** Escapes control characters, because an argument or a server that a message quotes must not control the terminal. */
const visible = (text) =>
  text.replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

/** The time since `start` (a performance.now()), as text. */
export function elapsed(start) {
  const seconds = (performance.now() - start) / 1000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
