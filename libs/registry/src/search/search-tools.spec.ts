import type { JsonSchema, Tool } from '@errand/contracts';
import { startCpuTime } from '../../../../test/support/cpu-time.js';
import { ToolSearch } from './search-tools.js';

/** `id | description | tags | parameters` */
const TOOLS = `
mail:send_message | Sends an e-mail to one or more recipients | mail | to, subject, body
mail:search_inbox | Finds messages in the inbox by sender, subject or date | mail | query, folder
mail:archive_thread | Moves a conversation out of the inbox | mail | thread_id
chat:postMessage | Posts a message into a channel of the team chat | chat | channel, text
chat:listChannels | Lists the channels of the team chat | chat | limit
calendar:create_event | Creates an appointment and invites people | calendar, meeting | title, start, end, attendees
calendar:find_free_time | Finds when several people are all free | calendar, meeting | attendees, duration
calendar:cancel_event | Cancels an appointment and tells the attendees | calendar | event_id
files:read_file | Reads a text file | files | path
files:write_file | Writes a text file, making folders as needed | files | path, content
files:delete_file | Deletes a file for good | files | path
files:list_folder | Lists what a folder holds | files | path
files:search_text | Finds lines of text in files, as grep does | files, search | pattern, path
web:search | Searches the web and gives titles, links and snippets | web, search | query, count
web:fetch_page | Downloads a web page and gives its text | web | url
web:screenshot | Takes a picture of a web page | web, image | url, width
image:resize | Makes a picture smaller or larger | image | path, width, height
image:describe | Says in words what a picture shows | image | path
image:generate | Draws a picture from a description | image | prompt, size
pdf:extract_text | Gives the text of a PDF document | pdf, document | path, pages
pdf:merge | Joins PDF documents into one | pdf, document | paths
docs:translate | Translates text from one language into another | language | text, target_language
docs:summarize | Shortens a long text to its main points | language | text, sentences
docs:check_spelling | Finds spelling mistakes and suggests corrections | language | text
db:run_query | Runs a SQL query on the warehouse, reading only | database, sql | statement, timeout
db:list_tables | Lists the tables of the warehouse with their columns | database | schema
db:export_csv | Exports the rows of a query as a CSV file | database, csv | statement, path
weather:get_forecast | Weather forecast for a city for the next days | weather | city, days
weather:get_current | The weather at a place right now: temperature, wind, rain | weather | city
maps:geocode | Finds the coordinates of an address | maps | address
maps:get_route | Directions from one place to another, by car, bicycle or on foot | maps | origin, destination
finance:get_stock_price | The price of a share on the stock exchange | finance | ticker
finance:convert_currency | Converts an amount of money into another currency | finance | amount, from_currency, to_currency
crm:find_customer | Finds customers by name, company or e-mail address | crm | query
crm:update_customer | Changes the details of a customer | crm | customer_id, fields
crm:create_ticket | Opens a support ticket for a customer | crm, support | customer_id, text
code:run_tests | Runs the test suite of a repository | code | repository
code:review_diff | Reviews a change and comments on it | code | diff
git:create_branch | Creates a branch in a repository | code, git | repository, name
git:open_pull_request | Opens a pull request from a branch | code, git | repository, branch, title
deploy:roll_out | Rolls a version out to an environment | deploy | version, environment
deploy:rollBack | Goes back to the version before | deploy | environment
monitor:getPlayerInfo | Details of a player of the game | game | player_id
monitor:query_logs | Finds log lines of a service within a time span | logs | service, since
monitor:get_metrics | Gives measurements such as CPU load and memory use | metrics | service
time:convert_timezone | Converts a time from one time zone to another | time | time, from_zone, to_zone
math:evaluate | Calculates the value of an arithmetic expression | math | expression
random:roll_dice | Rolls dice and adds them up | game | count, sides
hr:request_leave | Asks for days of vacation | hr | start, end
shop:track_parcel | Tells where a parcel is, by its tracking number | shipping | tracking_number`;

function toolOf(line: string): Tool {
  const [toolId = '', description = '', tags = '', names = ''] = line.split(' | ');
  const properties = Object.fromEntries(
    names.split(', ').map((name): [string, JsonSchema] => [name, { type: 'string' }]),
  );
  return {
    toolId,
    version: '1.0.0',
    displayName: toolId,
    description,
    kind: 'external',
    parameters: { type: 'object', properties },
    tags: tags.split(', '),
    implementation: { type: 'external' },
    source: 'test',
    digest: toolId,
  };
}

const tools = TOOLS.trim().split('\n').map(toolOf);
const search = new ToolSearch(tools);

test.each<[query: string, first: string, also?: string[]]>([
  ['send an e-mail', 'mail:send_message'],
  ['search the web', 'web:search'],
  ['weather forecast for tomorrow in Paris', 'weather:get_forecast', ['weather:get_current']],
  ['stock price', 'finance:get_stock_price'],
  ['convert currency', 'finance:convert_currency'],
  ['translate a text into French', 'docs:translate'],
  ['getplayerinfo', 'monitor:getPlayerInfo'],
  ['get_player_info', 'monitor:getPlayerInfo'],
  ['player info', 'monitor:getPlayerInfo'],
  ['rollback', 'deploy:rollBack'],
  ['roll dice', 'random:roll_dice'],
  ['rolls the dices', 'random:roll_dice'],
  ['calender event', 'calendar:create_event', ['calendar:cancel_event']],
  ['summarise', 'docs:summarize'],
  ['delete files', 'files:delete_file'],
  ['sql', 'db:run_query'],
  ['pull request', 'git:open_pull_request'],
  ['picture', 'image:describe', ['image:generate', 'image:resize', 'web:screenshot']],
  ['tracking number', 'shop:track_parcel'],
  ['target_language', 'docs:translate'],
  ['meeting', 'calendar:create_event', ['calendar:find_free_time']],
  ['vacation', 'hr:request_leave'],
  ['WEB:SEARCH', 'web:search'],
  ['maps:get_route', 'maps:get_route'],
  ['messages', 'chat:postMessage', ['mail:send_message', 'mail:search_inbox']],
])('A search for "%s" finds %s first', (query, first, also = []) => {
  const found = search.find(query);
  expect(found.slice(0, 10)).toEqual(expect.arrayContaining([first, ...also]));
  expect(also.length > 0 ? [first, ...also] : [first]).toContain(found[0]);
});

test.each(['', '   ', 'the of and', 'xylophone', '!!!', '日本'])('A search for %j finds nothing', (query) => {
  expect(search.find(query)).toEqual([]);
});

test('A search omits tools with little relation to its words', () => {
  expect(search.find('roll dice').length).toBeLessThan(5);
});

test('The order of results does not depend on the order of the tools', () => {
  const reversed = new ToolSearch(tools.toReversed());
  for (const query of ['picture', 'text', 'time', 'get', 'list'])
    expect(reversed.find(query)).toEqual(search.find(query));
});

describe('A search in Chinese, Japanese and Korean', () => {
  const asian = new ToolSearch(
    `
cn:send_mail | 给某人发送电子邮件 | 邮件 | 收件人, 主题
cn:weather | 查询城市的天气预报 | 天气 | 城市
cn:mixed | 发送email给某人，支持HTML格式 | - | to
jp:weather | 東京都の天気予報を取得する | 天気 | 都市
jp:database | データベースを検索して結果を返す | 検索 | クエリ
jp:mail | 電子メールを送信します | メール | 宛先
kr:mail | 사용자에게 이메일을보내기 | 메일 | 받는사람
kr:weather | 오늘의 날씨를 알려줍니다 | 날씨 | 도시`
      .trim()
      .split('\n')
      .map(toolOf),
  );

  it.each<[query: string, expected: string[]]>([
    ['发送', ['cn:mixed', 'cn:send_mail']],
    ['电子邮件', ['cn:send_mail']],
    ['邮', ['cn:send_mail']],
    ['发送 天气', ['cn:mixed', 'cn:send_mail', 'cn:weather']],
    ['某人email', ['cn:mixed', 'cn:send_mail']],
    ['email', ['cn:mixed']],
    ['ｅｍａｉｌ', ['cn:mixed']],
    ['html', ['cn:mixed']],
    ['収件人', ['cn:send_mail']],
    ['天気予報', ['jp:weather']],
    ['データベース', ['jp:database']],
    ['ﾃﾞｰﾀﾍﾞｰｽ', ['jp:database']],
    ['検索', ['jp:database']],
    ['送信', ['jp:mail']],
    ['이메일', ['kr:mail']],
    ['보내기', ['kr:mail']],
    ['날씨', ['kr:weather']],
    ['받는사람', ['kr:mail']],
    ['飛行機', []],
    ['鱼', []],
  ])('A search finds %j inside other text', (query, expected) => {
    const found = asian.find(query);
    expect(expected.length === 0 ? found : found.slice(0, expected.length).toSorted()).toEqual(expected);
  });

  it('A search ranks a name before a description', () => {
    const named = new ToolSearch([toolOf('a:发送 | x | - | x'), toolOf('a:b | 发送 | - | x'), ...tools]);
    expect(named.find('发送')).toEqual(['a:发送', 'a:b']);
  });
});

test.each([
  ['letters without blanks', '电'.repeat(1_000_000)],
  [
    'different letters',
    Array.from({ length: 20_000 }, (_item, index) => String.fromCodePoint(0x4e00 + index)).join(''),
  ],
  ['letters with blanks', 'a b '.repeat(250_000)],
  ['different words', Array.from({ length: 100_000 }, (_item, index) => `w${index}`).join(' ')],
  ['characters that grow when they are normalised', '\uFDFA'.repeat(300_000)],
  ['halves of characters', '\uD83D'.repeat(1_000_000)],
])('A query of 1 MB costs no more than its first 512 characters: %s', (_what, query) => {
  const cost = (text: string) => {
    const spent = startCpuTime();
    search.find(text);
    return spent();
  };
  search.find(query.slice(0, 512));
  expect(search.find(query)).toEqual(search.find(query.slice(0, 512)));
  expect(cost(query)).toBeLessThan(cost(query.slice(0, 512)) * 20 + 1_000_000);
});

test('The first 20,000 characters of a description are indexed, also without blanks', () => {
  const large = new ToolSearch([toolOf(`a:b | ${'给某人发送电子邮件'.repeat(100_000)}今天 | - | x`)]);
  expect(large.find('发送')).toEqual(['a:b']);
  expect(large.find('今天')).toEqual([]);
});
