import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type OpenPage, openPage } from './open-page.ts';
import { scene } from './scene.ts';

vi.mock('../../../src/inspector/page/terminal.ts', () => ({ openTerminal: () => ({ dispose: () => {} }) }));

// The transitions of a process belong to its chart.
vi.mock('../../../src/inspector/page/charts.ts', () => ({
  drawProcess: () => '<svg/>',
  drawInside: (state: string) => (state === 'running' ? null : '<svg/>'),
  drawMachine: () => '<svg/>',
  listNext: (state: string) =>
    state === 'failed'
      ? []
      : [
          {
            key: '0',
            from: 'up',
            event: 'process.stop',
            guard: 'mayStop',
            target: 'stopping',
            actions: ['a', 'b'],
          },
          { key: '1', from: '', event: null, guard: null, target: null, actions: [] },
        ],
}));

const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.txt`);
const usage = {
  tool_web: {
    ...{ cpuShare: 0.256, cpuMs: 4_200, memoryBytes: 3_145_728, peakMemoryBytes: 4_194_304 },
    ...{ readBytes: 0, writtenBytes: 1_024, processes: 2, ports: [3_000, 3_001] },
  },
};

/** Parts of the page, and how each is reached. */
const views: readonly (readonly [
  name: string,
  part: string,
  hash: string,
  show: (page: OpenPage) => unknown,
])[] = [
  ['head', 'header', '', () => {}],
  ['stage', 'main', '#/process/tool_web', ({ state }) => (state.usage.value = usage)],
  ['stage-in-the-past', 'main', '#/process/tool_test', ({ state }) => state.travelTo(5_000)],
  ['live-process', '.detail', '#/process/tool_web', () => {}],
  ['process-on-pipes', '.detail', '#/process/tool_build', () => {}],
  ['ended-process', '.detail', '#/process/tool_test', () => {}],
  ['facts-of-a-live-process', '.facts', '#/process/tool_web', (page) => page.click('facts')],
  ['facts-of-an-ended-process', '.facts', '#/process/tool_test', (page) => page.click('facts')],
  [
    'facts-in-the-past',
    '.facts',
    '#/process/tool_web',
    async (page) => {
      await page.click('facts');
      page.state.travelTo(1_500);
    },
  ],
  ['conversation', '.conversation', '#/conversation/assistant', () => {}],
  [
    'conversation-in-the-past',
    '.conversation',
    '#/conversation/assistant',
    ({ state }) => state.travelTo(950),
  ],
  ['machine', '.detail', '#/machine/m1', () => {}],
  ['supervisor', '.detail', '#/supervisor/sup_one', () => {}],
  ['unknown-process', '.detail', '#/process/forgotten', () => {}],
  ['questions', '.questions', '', () => {}],
];

test.each(views)('the page shows: %s', async (name, part, hash, show) => {
  using page = await openPage({ live: scene, now: 10_000, hash });

  await show(page);
  await page.settle();

  await expect(page.html(part)).toMatchFileSnapshot(golden(name));
});

test('an empty page says so', async () => {
  using page = await openPage({ live: {}, now: 10_000 });
  const { document } = page;

  expect(document.findAll('.none')[0]?.text).toBe('No process was started here yet.');
  expect(page.find('.detail').text).toContain('Nothing has been started yet.');
  expect(document.findAll('.questions')).toEqual([]);
  expect(document.findAll('.warning')).toEqual([]);
  expect(document.findAll('.answer')).toEqual([]);
});

test.each([
  ['connecting', 'Connecting…'],
  ['lost', 'The connection is lost'],
  ['refused', 'Access is denied.'],
] as const)('a connection that is %s stands above everything', async (connection, text) => {
  using page = await openPage({ live: { connection }, now: 10_000, warnings: ['The log is full.'] });

  expect(page.find('.warning').children.map((line) => line.text)).toEqual([
    expect.stringContaining(text),
    'The log is full.',
  ]);
});

test('a read-only page offers no action', async () => {
  using page = await openPage({ live: scene, now: 10_000, hash: '#/process/tool_web', readOnly: true });
  const { document } = page;

  expect(page.find('header').text).toContain('read-only');
  for (const part of ['.actions', '.replies', '.input', 'form']) expect(document.findAll(part)).toEqual([]);
});

test('a filter that fits nothing says so', async () => {
  using page = await openPage({ live: { ...scene, machines: {}, conversations: {} }, now: 10_000 });

  await page.type('#filter', 'no such thing');

  expect(page.find('.none').text).toBe('No process fits the filter.');
  expect(page.document.findAll('.row')).toEqual([]);
});

test('a checkbox hides ended processes', async () => {
  using page = await openPage({ live: scene, now: 10_000 });
  const ids = () => page.document.findAll('.row').map((row) => row.attributes.get('data-id'));
  const box = page.find('[type=checkbox]');
  expect(ids()).toContain('tool_test');

  box.checked = true;
  box.dispatch('change');
  await page.settle();

  expect(ids()).not.toContain('tool_test');
  expect(ids()).toContain('tool_web');
});

test('a transcript shows its last 200 messages, earlier ones on request', async () => {
  const transcript = Array.from({ length: 450 }, (_, at) => ({ role: 'user' as const, at, text: `m${at}` }));
  const conversations = { a: { id: 'a', status: 'done' as const, transcript, writing: '', inbox: [] } };
  using page = await openPage({ live: { conversations }, now: 10_000, hash: '#/conversation/a' });
  const messages = () => page.document.findAll('.message').map((each) => each.findAll('pre')[0]?.text);
  expect(messages()).toHaveLength(200);
  expect(messages()[0]).toBe('m250');

  await page.click('250 earlier messages');
  expect(messages()).toHaveLength(400);
  await page.click('50 earlier messages');

  expect(messages()).toHaveLength(450);
  expect(page.document.findAll('.more')).toEqual([]);
});

test('a transcript is scrolled to its end', async () => {
  using page = await openPage({ live: scene, now: 10_000, hash: '#/conversation/assistant' });
  const list = page.find('.messages');

  await vi.waitFor(() => expect(list.scrollTop).toBe(list.scrollHeight));
});

test('a long text is folded beyond 600 characters', async () => {
  const transcript = [601, 600].map((length) => ({ role: 'user' as const, at: 1, text: 'x'.repeat(length) }));
  const conversations = { a: { id: 'a', status: 'idle' as const, transcript, writing: '', inbox: [] } };
  using page = await openPage({ live: { conversations }, now: 10_000, hash: '#/conversation/a' });
  const lengths = () => page.document.findAll('pre').map(({ text }) => text.length);
  expect(lengths()).toEqual([601, 600]);
  expect(page.find('pre').text).toMatch(/x{600}…$/);

  await page.click('all 601 characters');
  expect(page.find('pre').text).toBe('x'.repeat(601));
  await page.click('fold');

  expect(page.find('pre').text).toMatch(/…$/);
});

test('a table with many rows draws those that are visible', async () => {
  const processes = Array.from({ length: 100 }, (_, index) => ({
    ...scene.processes?.[0],
    ...{ id: `tool_${index}`, label: `p${index}`, createdAt: index },
  })) as NonNullable<typeof scene.processes>;
  using page = await openPage({ live: { processes }, now: 10_000 });
  const places = () =>
    page.document.findAll('.row').map((row) => Number(row.attributes.get('aria-rowindex')));
  // Ten rows fit into 300 pixels; eight more are drawn on each side.
  expect([places()[0], places().at(-1)]).toEqual([1, 18]);

  const rows = page.find('.rows');
  rows.scrollTop = 1_500;
  rows.dispatch('scroll');
  await page.settle();

  expect([places()[0], places().at(-1)]).toEqual([43, 68]);
  expect(page.find('.window').style['transform']).toBe('translateY(1260px)');
});
