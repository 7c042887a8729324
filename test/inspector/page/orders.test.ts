import { expect, test, vi } from 'vitest';
import { type OpenPage, openPage } from './open-page.ts';
import { scene } from './scene.ts';

vi.mock('../../../src/inspector/page/terminal.ts', () => ({ openTerminal: () => ({ dispose: () => {} }) }));

const open = (hash: string) => openPage({ live: scene, now: 10_000, hash });
const web = '#/process/tool_web';
const build = '#/process/tool_build';
const test_ = '#/process/tool_test';
const agent = '#/conversation/assistant';

/** Each button, what it orders, what the program answers, and what the page says then. */
const buttons: readonly (readonly [
  button: string,
  hash: string,
  order: { method: string; params: unknown },
  result: unknown,
  answer: string | null,
])[] = [
  ['kill', web, { method: 'kill', params: { id: 'tool_web', options: {} } }, { message: 'Gone.' }, 'Gone.'],
  [
    'interrupt',
    web,
    { method: 'kill', params: { id: 'tool_web', options: { signal: 'SIGINT' } } },
    { message: 'Gone.' },
    'Gone.',
  ],
  [
    'kill leftovers',
    test_,
    { method: 'kill', params: { id: 'tool_test', options: {} } },
    { message: 'Gone.' },
    'Gone.',
  ],
  ['restart', web, { method: 'restart', params: { id: 'tool_web' } }, true, 'web is ended and starts again.'],
  [
    'restart',
    web,
    { method: 'restart', params: { id: 'tool_web' } },
    false,
    'web has ended or is stopping; it does not start again by itself.',
  ],
  [
    'background',
    build,
    { method: 'background', params: { id: 'tool_build' } },
    true,
    'tool_build continues in the background; its caller waits no longer.',
  ],
  [
    'background',
    build,
    { method: 'background', params: { id: 'tool_build' } },
    false,
    'tool_build does not run in the foreground.',
  ],
  [
    'start again',
    test_,
    { method: 'startAgain', params: { id: 'tool_test' } },
    { id: 'tool_new' },
    'Started as tool_new, with the environment of the program that runs it.',
  ],
  [
    'end input',
    build,
    { method: 'endInput', params: { id: 'tool_build' } },
    { ok: true },
    'Its input is ended.',
  ],
  [
    'end input',
    build,
    { method: 'endInput', params: { id: 'tool_build' } },
    { ok: false, error: 'It is ended.' },
    'It is ended.',
  ],
  ...['C-c', 'C-d', 'Enter', 'Escape'].map(
    (key) =>
      [
        key,
        web,
        { method: 'sendKeys', params: { id: 'tool_web', order: { keys: [key] } } },
        true,
        null,
      ] as const,
  ),
  // The button of the process comes first.
  ['allow', '', { method: 'answer', params: { id: 'q1', consent: true } }, true, null],
  ['always allow git push *', '', { method: 'answer', params: { id: 'q1', consent: 'always' } }, true, null],
  ['deny', '', { method: 'answer', params: { id: 'q1', consent: false } }, true, null],
  [
    'deny',
    '',
    { method: 'answer', params: { id: 'q1', consent: false } },
    false,
    'The question was answered already, or is not needed any more.',
  ],
  ['interrupt', agent, { method: 'interrupt', params: { id: 'assistant' } }, true, null],
];

test.each(buttons)('the button "%s" at %s sends its order', async (button, hash, order, result, answer) => {
  using page = await open(hash);
  page.results.set(order.method, result);

  await page.click(button);

  expect(page.orders).toEqual([order]);
  expect(said(page)).toBe(answer);
});

test('a refused order shows the reason until it is closed', async () => {
  using page = await open(web);

  await page.click('kill');
  expect(said(page)).toBe('kill is refused.');
  expect(page.find('.answer').attributes.get('role')).toBe('alert');
  await page.click('Close');

  expect(said(page)).toBeNull();
});

test('an order that was carried out is no alert', async () => {
  using page = await open(web);
  page.results.set('kill', { message: 'Gone.' });

  await page.click('kill');

  expect(page.find('.answer').attributes.get('role')).toBe('status');
});

test.each([
  ['text that is no JSON', () => new Response(' Not now. \n', { status: 503 }), 'Not now.'],
  ['JSON without a reason', () => Response.json({}), '{}'],
  [
    'no answer',
    () => {
      throw new Error('ECONNREFUSED');
    },
    'The program does not answer. The page connects again by itself.',
  ],
])('an order that gets %s shows it', async (_, serve, text) => {
  using page = await openPage({ live: scene, now: 10_000, hash: web });
  vi.stubGlobal('fetch', async () => serve());

  await page.click('kill');

  expect(said(page)).toBe(text);
});

test('a process that was started again is chosen', async () => {
  using page = await open(test_);
  page.results.set('startAgain', { id: 'tool_new' });

  await page.click('start again');

  expect(page.state.selection.value).toEqual({ type: 'process', id: 'tool_new' });
});

test.each([
  [
    build,
    '10m',
    { timeout: '10m', maxExecutionTime: '10m' },
    true,
    'It has a time limit of 10m from now on.',
  ],
  [build, '0', { timeout: 0, maxExecutionTime: 0 }, true, 'It has no time limit.'],
  [web, '1h', { maxBackgroundTime: '1h' }, true, 'It has a time limit of 1h in all.'],
  [web, '0', { maxBackgroundTime: 0 }, false, 'It has ended or is stopping, so its limits stay.'],
])('the limit of %s becomes %s', async (hash, value, changes, result, answer) => {
  using page = await open(hash);
  page.results.set('changeLimits', result);
  const choice = page.find('[aria-label="Change its time limit"]');

  choice.value = value;
  choice.dispatch('change');
  await page.settle();

  const id = hash.split('/').at(-1);
  expect(page.orders).toEqual([{ method: 'changeLimits', params: { id, changes } }]);
  expect(said(page)).toBe(answer);
  expect(choice.value).toBe('');
});

test('the empty choice changes no limit', async () => {
  using page = await open(web);

  page.find('[aria-label="Change its time limit"]').dispatch('change');
  await page.settle();

  expect(page.orders).toEqual([]);
});

test('a line for a process is sent with its newline, and cleared once written', async () => {
  using page = await open(build);
  const input = '[aria-label="Line for the input of the process"]';
  const form = () => page.find(input).closest('form');

  await page.type(input, 'jä');
  page.results.set('write', { ok: false, error: 'The pipe is full.' });
  expect(form()?.dispatch('submit')).toBe(true);
  await page.settle();
  expect([said(page), page.find(input).value]).toEqual(['The pipe is full.', 'jä']);
  page.results.set('write', { ok: true, bytesWritten: 4 });
  form()?.dispatch('submit');
  await page.settle();

  const data = Buffer.from('jä\n').toString('base64');
  const order = { method: 'write', params: { id: 'tool_build', data } };
  expect(page.orders).toEqual([order, order]);
  expect([said(page), page.find(input).value]).toEqual(['4 bytes written.', '']);
});

test('a message to an agent is cleared once it has arrived', async () => {
  using page = await open(agent);
  const input = '[aria-label="Message to assistant"]';
  const submit = async () => {
    page.find(input).closest('form')?.dispatch('submit');
    await page.settle();
  };

  await submit();
  expect(page.orders).toEqual([]);
  await page.type(input, 'Stop.');
  await submit();
  expect(page.find(input).value).toBe('Stop.');
  page.results.set('say', true);
  await submit();

  expect(page.orders.at(-1)).toEqual({ method: 'say', params: { id: 'assistant', text: 'Stop.' } });
  expect(page.find(input).value).toBe('');
});

test('an idle agent cannot be interrupted, and one that is done hears nothing', async () => {
  using page = await open(agent);
  const talk = scene.conversations?.['assistant'];
  if (talk === undefined) throw new Error('The scene has no agent.');
  const show = async (status: 'idle' | 'acting' | 'done') => {
    page.state.live.value = { ...page.state.live.value, conversations: { assistant: { ...talk, status } } };
    await page.settle();
    return [page.document.findAll('form').length, page.find('.conversation').text.includes('interrupt')];
  };

  expect(await show('acting')).toEqual([1, true]);
  expect(await show('idle')).toEqual([1, false]);
  expect(await show('done')).toEqual([0, false]);
});

test('a size of the terminal is ordered in columns and rows', async () => {
  using page = await open(web);
  page.results.set('resize', { ok: true });
  const choice = page.find('.output').findAll('select')[0];
  expect(choice?.findAll('option').map(({ text }) => text)).toEqual(['100×30', '80×24', '120×40', '200×50']);

  if (choice !== undefined) choice.value = '120×40';
  choice?.dispatch('change');
  await page.settle();

  const params = { id: 'tool_web', size: { columns: 120, rows: 40 } };
  expect(page.orders).toEqual([{ method: 'resize', params }]);
  expect(said(page)).toBe('The terminal has 120×40 characters.');
});

function said({ document }: OpenPage): string | null {
  return document.findAll('.answer')[0]?.findAll('span')[0]?.text ?? null;
}
