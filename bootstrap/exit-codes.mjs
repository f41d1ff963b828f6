/** The exit codes of every command. docs/command-line.md has the same table. */
export const EXIT_CODES = {
  0: 'success',
  1: 'the invocation failed or was cancelled, or the command failed or found a problem',
  2: 'Errand does not understand the command line, an input file or a profile',
  3: 'no Errand answers at the address, or it is unavailable',
  4: 'Errand refused the request: a wrong key, an unknown id, a text with errors',
  130: 'Ctrl-C ended the command; the invocation goes on',
};

const OWN = [0, 1, 2];
const OF_CLIENTS = [...OWN, 3, 4];

/** The exit codes of one command, with their meanings. The root of the table has all codes. */
export function exitCodesOf(command, path) {
  const codes = path.length === 0 ? Object.keys(EXIT_CODES) : codesOf(command);
  return codes.map((code) => [String(code), command.exits?.[code] ?? EXIT_CODES[code]]);
}

function codesOf({ run, options = {}, follows }) {
  if (!run) return [0, 2];
  const codes = 'url' in options ? OF_CLIENTS : OWN;
  return follows ? [...codes, 130] : codes;
}
