import { afterEach, expect, test, vi } from 'vitest';
import { emptyLiveState } from '../../../src/live/live-state.ts';
import { openPage } from './open-page.ts';
import { build, failed, scene, web } from './scene.ts';
import type { SmallElement } from './small-dom.ts';

const store = vi.hoisted(() => ({ state: {} as object, change: () => {}, subscribers: 0 }));

vi.mock('../../../src/live/remote-store.ts', () => ({
  createRemoteStore: () => ({
    getSnapshot: () => store.state,
    subscribe: (onChange: () => void) => {
      store.change = onChange;
      store.subscribers += 1;
      return () => {
        store.subscribers -= 1;
      };
    },
  }),
}));
vi.mock('../../../src/inspector/page/terminal.ts', () => ({ openTerminal: () => ({ dispose: () => {} }) }));

afterEach(() => void vi.restoreAllMocks());

async function connect(live: object, hash = '') {
  store.subscribers = 0;
  store.state = { ...emptyLiveState, connection: 'open', ...live };
  const about = { kind: 'program', title: 'app.ts', readOnly: false, warnings: [], supervisors: [] };
  const page = await openPage({
    ...{ live: {}, now: 10_000, hash },
    served: { 'api/about': () => Response.json({ ...about, now: Date.now() + 5_000 }) },
  });
  const every = new Map<number, () => void>();
  const cleared: number[] = [];
  const interval = (run: () => void, ms: number) => {
    every.set(ms, run);
    return ms;
  };
  vi.stubGlobal('setInterval', interval);
  Object.assign(window, { setInterval: interval });
  vi.stubGlobal('clearInterval', (timer: number) => cleared.push(timer));
  page.state.connect();
  await page.settle();
  return { page, every, cleared };
}

test('the page shows what the program says, and its title', async () => {
  const { page } = await connect({});
  store.state = { ...emptyLiveState, processes: [web] };

  store.change();

  expect(page.state.live.value.processes).toEqual([web]);
  expect(page.document.title).toBe('app.ts · troupe');
  page[Symbol.dispose]();
});

test('the clock of the page is the one of the program', async () => {
  const { page, every } = await connect({});

  every.get(100)?.();

  expect(Math.abs(page.state.now.value - Date.now() - 5_000)).toBeLessThan(1_000);
  page[Symbol.dispose]();
});

test('a hidden page rests', async () => {
  const { page, every, cleared } = await connect({});
  const asked = () => page.requests.filter((url) => url === 'api/about').length;
  const turn = async (hidden: boolean) => {
    page.document.hidden = hidden;
    page.document.dispatch('visibilitychange');
    page.document.dispatch('visibilitychange');
    every.get(10_000)?.();
    await page.settle();
  };
  expect([store.subscribers, asked()]).toEqual([1, 1]);

  await turn(true);
  expect([store.subscribers, asked(), cleared]).toEqual([0, 1, [100]]);
  await turn(false);

  expect([store.subscribers, asked()]).toEqual([1, 3]);
  page[Symbol.dispose]();
});

test('the buttons of the browser choose', async () => {
  const { page } = await connect(scene, '#/process/tool_web');

  location.hash = '#/machine/m1';
  (window as unknown as SmallElement).dispatch('popstate');

  expect(page.state.selection.value).toEqual({ type: 'machine', id: 'm1' });
  page[Symbol.dispose]();
});

test.each([
  ['the one that waits for input', [web, build, failed], 'tool_web'],
  [
    'the last one that is live',
    [build, { ...build, id: 'tool_last', createdAt: 2_500 }, failed],
    'tool_last',
  ],
  ['the last one', [{ ...failed, id: 'tool_first', createdAt: 1 }, failed], 'tool_test'],
])('without a choice the page chooses %s', async (_, processes, id) => {
  const { page } = await connect({});

  store.state = { ...emptyLiveState, processes };
  store.change();
  await page.settle();

  expect(page.state.selection.value).toEqual({ type: 'process', id });
  page[Symbol.dispose]();
});

test('a choice in the address stays', async () => {
  const { page } = await connect({}, '#/process/tool_test');

  store.state = { ...emptyLiveState, processes: [web, failed] };
  store.change();
  await page.settle();

  expect(page.state.selection.value).toEqual({ type: 'process', id: 'tool_test' });
  page[Symbol.dispose]();
});

test('usage is asked for live rows, in the present', async () => {
  const usage = { tool_web: { cpuShare: 0.5, memoryBytes: 1_024, ports: [3_000] } };
  using page = await openPage({
    ...{ live: scene, now: 10_000 },
    served: { 'api/usage': () => Response.json(usage) },
  });

  await vi.waitFor(() => expect(page.state.usage.value).toEqual(usage));

  expect(page.requests).toContain(`api/usage?ids=${encodeURIComponent('tool_web,tool_build')}`);
  await page.settle();
  const row = page.find('[data-id="tool_web"]');
  expect(row.text).toContain('50 %');
  expect(row.text).toContain('1.0 KiB');
  expect(row.text).toContain(':3000');
});
