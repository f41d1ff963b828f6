import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithDocker } from '../../../test/escapes/real-sandbox.js';
import { Stack } from '../../../test/support/start-stack.js';
import { writeFiles } from '../../../test/support/write-files.js';
import { chooseEntry } from '../../../libs/tool-generator/src/choose-entry.js';
import { makeDraft } from '../../../libs/tool-generator/src/make-draft.js';
import { nameOfScript } from '../../../libs/tool-generator/src/draft-location.js';
import { readPython } from '../../../libs/tool-generator/src/read-python.js';
import { readTypeScript } from '../../../libs/tool-generator/src/read-typescript.js';
import { QUICK_START } from '../../../test/support/start-process.js';

const ROOT = join(__dirname, '../../..');

const SCRIPTS: Record<string, string> = {
  'plan_trip.py': `
"""Plans trips."""
import dataclasses, datetime, enum
from typing import Optional, TypedDict

print("loading")

class Mode(enum.Enum):
    TRAIN = "train"
    BOAT = "boat"

@dataclasses.dataclass
class Stop:
    city: str
    nights: int = 1

class Traveller(TypedDict):
    name: str

async def plan_trip(start: datetime.date, stops: list[Stop], mode: Mode = Mode.TRAIN, tags: Optional[set[str]] = None,
                    *, traveller: Traveller):
    """Plans a trip.

    Args:
        start: The first day.
        stops: Where to stay.
    """
    print("planning")
    days = sum(stop.nights for stop in stops)
    return {"end": start + datetime.timedelta(days=days), "mode": mode, "tags": tags, "who": traveller["name"], "first": stops[0]}
`,
  'tag.py': `
import enum
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from datetime import date

class Level(enum.Enum):
    LOW = 1

class Model:
    def __init__(self, **values):
        self.values = values
    def model_dump(self):
        return self.values

def tag(level: Level, when: "date" = None):
    return Model(level=level.name, when=when)
`,
  'take-half.py': 'from decimal import Decimal\ndef make(plain: Decimal) -> Decimal:\n    return plain / 2\n',
  'scale.py':
    'def scale(by: float, /, *values: float):\n    """Scales numbers."""\n    for value in values:\n        yield value * by\n',
  'area.py':
    'def area(width: float, depth: float = 2) -> float:\n    "The area of a room."\n    print("measuring")\n    return width * depth\n',
  'power.py': 'def power(base: int, exponent: int = 2, /):\n    return base**exponent\n',
  'shorten.ts': `
/** Shortens texts. @param text the text @param length how long it may be */
export function shorten(text: string, length = 5, ...more: string[]): string[] {
  console.log('shortening');
  return [text, ...more].map((each) => each.slice(0, length));
}
`,
  'count.js': `
/** Counts. @param {string} word @param {number} [times=2] */
module.exports.count = ({ word, times = 2 }) => ({ word, times });
`,
  'echo.py':
    '"""Says it again."""\nimport json, sys\ndata = json.load(sys.stdin)\njson.dump({"said": data["word"]}, sys.stdout)\n',
};

describeWithDocker('Tools and plugins that the command line creates', () => {
  let library: string;
  let stack: Stack;

  beforeAll(async () => {
    library = mkdtempSync(join(tmpdir(), 'errand-made-'));
    writeFiles(join(library, 'scripts'), SCRIPTS);
    for (const name of Object.keys(SCRIPTS)) draft(join(library, 'scripts', name));
    errand('plugin', 'new', 'garden', '--in', library);
    cpSync(join(ROOT, 'examples/plugins/dice'), join(library, 'plugins/dice'), { recursive: true });
    stack = new Stack({ with: ['script-runner', 'worker'], env: { ERRAND_LIBRARY: library } });
    await stack.open();
  });
  afterAll(async () => {
    await stack.close();
    rmSync(library, { recursive: true });
  });

  /** Writes the same files as `./errand tools draft`. */
  function draft(script: string): void {
    const source = readFileSync(script, 'utf8');
    const analysis = script.endsWith('.py') ? readPython(source) : readTypeScript(source);
    const { files } = makeDraft({ script, analysis, entry: chooseEntry(analysis, nameOfScript(script)) });
    writeFiles('/', Object.fromEntries(files.map(({ path, text }) => [path, text])));
  }

  function errand(...args: string[]): void {
    const env = { ...process.env, ERRAND_DATA_DIR: join(library, 'data') };
    const { status, stderr } = spawnSync(process.execPath, [...QUICK_START, join(ROOT, 'errand'), ...args], {
      encoding: 'utf8',
      env,
    });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  }

  async function invoke(toolId: string, args: object): Promise<unknown> {
    const { status, error, result } = await stack.client.invoke({ toolId, arguments: args });
    expect({ toolId, status, error }).toEqual({ toolId, status: 'succeeded', error: null });
    return result;
  }

  it('The created tools load without problems', async () => {
    expect((await stack.client.get('/v1/tools/problems')).body).toEqual({ items: [], nextCursor: null });
  });

  it.each([
    [
      'my:plan_trip',
      {
        start: '2026-05-01',
        stops: [{ city: 'Turin', nights: 2 }, { city: 'Prague' }],
        mode: 'boat',
        tags: ['sea'],
        traveller: { name: 'Ada' },
      },
      { end: '2026-05-04', mode: 'boat', tags: ['sea'], who: 'Ada', first: { city: 'Turin', nights: 2 } },
    ],
    ['my:tag', { level: 1, when: '2026-05-01' }, { level: 'LOW', when: '2026-05-01' }],
    ['my:make', { plain: 5 }, 2.5],
    ['my:area', { width: 3 }, 6],
    ['my:power', { base: 3 }, 9],
    ['my:scale', { by: 2, values: [1, 2.5] }, [2, 5]],
    ['my:shorten', { text: 'beginning', more: ['ending'] }, ['begin', 'endin']],
    ['my:count', { word: 'one' }, { word: 'one', times: 2 }],
    ['my:echo', { word: 'once' }, { said: 'once' }],
  ])('The drafted tool %s runs its function with the right arguments', async (toolId, args, result) => {
    expect(await invoke(toolId, args)).toEqual(result);
  });

  it.each([
    ['garden:repeat', { text: 'hip' }, 'hip hip'],
    ['garden:cheer', { word: 'hurrah' }, 'HURRAH HURRAH HURRAH'],
    ['garden:count-words', { text: 'to be or nothing' }, { words: 4, longest: 'nothing' }],
    ['dice:odds', { count: 2, sides: 6, target: 7 }, { ways: 6, of: 36, percent: 16.67 }],
    ['dice:duel', { sides: 4 }, expect.stringMatching(/^\d+ against \d+$/)],
  ])('The tool %s of a plugin runs', async (toolId, args, result) => {
    expect(await invoke(toolId, args)).toEqual(result);
  });
});
