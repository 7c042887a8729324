import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OutputTerminalOptions } from '../../../src/inspector/page/terminal.ts';
import { openPage } from './open-page.ts';
import { scene } from './scene.ts';
import { SmallDocument } from './small-dom.ts';

const mebibyte = 1024 * 1024;

/** The terminal of a page, as far as it is a screen: it keeps what is written. */
class Screen {
  static all: Screen[] = [];
  readonly options: Readonly<Record<string, unknown>>;
  readonly written: string[] = [];
  readonly silenced: number[] = [];
  isDisposed = false;
  onType: (text: string) => void = () => {};
  readonly parser = { registerOscHandler: (code: number) => this.silenced.push(code) };

  constructor(options: Readonly<Record<string, unknown>>) {
    this.options = options;
    Screen.all.push(this);
  }

  write(data: string | Uint8Array, done: () => void) {
    this.written.push(typeof data === 'string' ? data : new TextDecoder().decode(data));
    done();
  }

  onData(listener: (text: string) => void) {
    this.onType = listener;
  }

  dispose() {
    this.isDisposed = true;
  }

  getSelection = () => 'selected';
  loadAddon() {}
  open() {}
  focus() {}
}

const found = vi.fn((_text: string) => true);

vi.mock('@xterm/xterm', () => ({ Terminal: Screen }));
vi.mock('@xterm/addon-fit', () => ({
  FitAddon: class {
    fit() {}
  },
}));
vi.mock('@xterm/addon-search', () => ({
  SearchAddon: class {
    findNext = (text: string) => found(`next ${text}`);
    findPrevious = (text: string) => found(`previous ${text}`);
  },
}));

/** A part of the output as the program sends it. */
const part = (offset: number, text: string, droppedBytes = 0) =>
  `${JSON.stringify({ stream: 'stdout', offset, droppedBytes, bytes: Buffer.from(text).toString('base64') })}\n`;

let requests: string[] = [];

beforeEach(() => {
  requests = [];
  Screen.all = [];
  found.mockClear();
  vi.stubGlobal('document', new SmallDocument());
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
});

afterEach(() => void vi.useRealTimers());

/** Answers the requests of a page one after the other. */
function serve(...answers: readonly (string | Response | Error)[]): void {
  vi.stubGlobal('fetch', async (url: string) => {
    const answer = answers[requests.length];
    requests.push(url);
    if (answer instanceof Error) throw answer;
    if (answer === undefined) return new Promise(() => {});
    return typeof answer === 'string' ? new Response(answer) : answer;
  });
}

/** Waits until the page has opened a terminal. */
function lastScreen(): Promise<Screen> {
  return vi.waitFor(() => {
    const screen = Screen.all.at(-1);
    if (screen === undefined) throw new Error('No terminal was opened.');
    return screen;
  });
}

async function show(options: Partial<OutputTerminalOptions> = {}) {
  const { openTerminal } = await import('../../../src/inspector/page/terminal.ts');
  const refusals: string[] = [];
  const terminal = openTerminal({} as HTMLElement, {
    ...{ id: 'tool a', size: null, until: null, onData: null },
    totalBytes: () => 6,
    onRefused: (why) => refusals.push(why),
    ...options,
  });
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  return { terminal, refusals, screen: Screen.all.at(-1) as Screen };
}

describe('the terminal of the page', () => {
  test('writes the output from its beginning', async () => {
    serve(part(0, 'abc') + part(3, 'def'));

    const { screen } = await show();

    expect(requests).toEqual(['api/output?id=tool%20a&from=0']);
    expect(screen.written).toEqual(['abc', 'def']);
  });

  test('has the size of the terminal of the process, or wraps lines', async () => {
    serve();
    const size = { columns: 100, rows: 30 };

    expect((await show({ size })).screen.options).toMatchObject({ cols: 100, rows: 30, convertEol: false });
    const { screen } = await show();
    expect(screen.options).toMatchObject({ convertEol: true, disableStdin: true });
    expect(screen.options).not.toHaveProperty('cols');
  });

  test('lets the output change neither title nor clipboard, nor open links', async () => {
    serve();

    const { screen } = await show();

    expect(screen.silenced).toEqual([0, 1, 2, 8, 52]);
  });

  test('hands on what is typed', async () => {
    serve();
    const onData = vi.fn();

    const { screen } = await show({ onData });
    screen.onType('a');

    expect(onData).toHaveBeenCalledWith('a');
    expect(screen.options['disableStdin']).toBe(false);
  });

  test('says where bytes are missing', async () => {
    serve(part(0, 'abc') + part(2_051, 'def', 2_048));

    const { screen } = await show();

    expect(screen.written).toEqual([
      'abc',
      '\r\n\x1b[7m 2.0 KiB left out here; the log has them \x1b[0m\r\n',
      'def',
    ]);
  });

  test.each([
    [4 * mebibyte, 0],
    [4 * mebibyte + 1, 1],
    [5 * mebibyte, mebibyte],
  ])('shows the newest 4 MiB of %i bytes', async (total, from) => {
    serve();

    const { screen } = await show({ totalBytes: () => total });

    expect(requests).toEqual([`api/output?id=tool%20a&from=${from}`]);
    expect(screen.written).toHaveLength(from === 0 ? 0 : 1);
  });

  test('jumps to the newest output where it lags by more than 8 MiB', async () => {
    serve(part(0, 'abc'), part(8 * mebibyte, 'new'));
    let total = 3;

    const shown = show({ totalBytes: () => total });
    total = 8 * mebibyte + 4;
    const { screen } = await shown;

    const newest = total - 256 * 1024;
    expect(requests.at(-1)).toBe(`api/output?id=tool%20a&from=${newest}`);
    expect(screen.written.at(-1)).toBe('new');
    expect(screen.written.at(-2)).toContain('MiB left out here');
  });

  const marks = [
    { offset: 2, since: 100, until: 150 },
    { offset: 5, since: 200, until: 250 },
  ];

  test.each([
    [99, []],
    [100, ['ab']],
    [199, ['ab']],
    [200, ['abc', 'de']],
  ])('shows at %i what had arrived then', async (time, written) => {
    serve(part(0, 'abc') + part(3, 'def'));

    const { screen } = await show({ until: { time, marks } });

    expect(screen.written).toEqual(written);
  });

  test('shows everything where the times are unknown', async () => {
    serve(part(0, 'abc') + part(3, 'def'));

    const { screen } = await show({ until: { time: 1, marks: [] } });

    expect(screen.written).toEqual(['abc', 'def']);
  });

  test('finds in both directions', async () => {
    serve();
    const { terminal } = await show();

    terminal.find('a', 1);
    terminal.find('b', -1);

    expect(found.mock.calls).toEqual([['next a'], ['previous b']]);
    expect(terminal.selected).toBe('selected');
  });

  test('reads nothing after it is disposed', async () => {
    serve();
    const { terminal, screen } = await show();

    terminal.dispose();

    expect(screen.isDisposed).toBe(true);
  });
});

describe('reading the output', () => {
  test.each([
    [
      'its reason',
      () => Response.json({ error: { message: 'It was forgotten.' } }, { status: 404 }),
      'It was forgotten.',
    ],
    ['its text', () => new Response(' gone \n', { status: 410 }), 'gone'],
    ['its status', () => new Response('', { status: 404 }), 'the program answered 404'],
    [
      'the error of its stream',
      () => new Response('{"error":"It is gone.","code":"unknown"}\n'),
      'It is gone.',
    ],
  ])('ends at a refusal with %s', async (_, answer, why) => {
    serve(answer());

    const { refusals } = await show();

    expect(refusals).toEqual([why]);
    expect(requests).toHaveLength(1);
  });

  test('continues after a lost connection where it was', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(part(0, 'abc')));
      },
      pull: (controller) => controller.error(new Error('lost')),
    });
    serve(new Error('ECONNREFUSED'), new Response(broken), part(3, 'def'));

    const { screen, refusals } = await show();
    for (let turn = 0; turn < 4; turn += 1) await vi.advanceTimersByTimeAsync(1_000);

    expect(requests.map((url) => url.split('from=')[1])).toEqual(['0', '0', '3']);
    expect(screen.written).toEqual(['abc', 'def']);
    expect(refusals).toEqual([]);
  });

  test('gives up after five errors of the program, a second apart', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const failure = () => new Response('busy', { status: 503 });
    serve(...Array.from({ length: 9 }, failure));

    const { refusals } = await show();
    await vi.advanceTimersByTimeAsync(3_999);
    expect([requests.length, refusals]).toEqual([4, []]);
    await vi.advanceTimersByTimeAsync(1_001);

    expect([requests.length, refusals]).toEqual([5, ['busy']]);
  });

  test('counts errors from the last output on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const unreachable = '{"error":"It is away.","code":"unreachable"}\n';
    serve(
      ...Array.from({ length: 4 }, () => unreachable),
      part(0, 'abc') + unreachable,
      unreachable,
      part(3, 'def'),
    );

    const { screen, refusals } = await show();
    await vi.advanceTimersByTimeAsync(10_000);

    expect(screen.written).toEqual(['abc', 'def']);
    expect(refusals).toEqual([]);
  });

  test('waits while the page is hidden', async () => {
    const page = document as unknown as SmallDocument;
    page.hidden = true;
    serve(part(0, 'abc'));

    const { screen } = await show();
    expect(requests).toEqual([]);
    page.hidden = false;
    page.dispatch('visibilitychange');
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);

    expect(screen.written).toEqual(['abc']);
    expect(page.listeners.get('visibilitychange')?.size).toBe(0);
  });
});

describe('the pane of the output', () => {
  const open = (hash: string, served = {}) => openPage({ live: scene, now: 10_000, hash, served });

  test('sends keys as they are typed, and longer text as a paste', async () => {
    using page = await open('#/process/tool_web');
    page.results.set('write', { ok: true, bytesWritten: 1 });
    page.results.set('paste', { ok: false, error: 'It takes no paste.' });
    const type = async (text: string) => {
      (await lastScreen()).onType(text);
      await page.settle();
    };

    await type('é');
    await type('x'.repeat(64));
    expect(page.state.answer.value).toBeNull();
    await type('x'.repeat(65));
    await type('a\nb');

    expect(page.orders.map(({ method }) => method)).toEqual(['write', 'write', 'paste', 'paste']);
    expect(page.orders[0]?.params).toEqual({ id: 'tool_web', data: Buffer.from('é').toString('base64') });
    expect(page.orders[3]?.params).toEqual({ id: 'tool_web', text: 'a\nb' });
    expect(page.state.answer.value).toEqual({ text: 'It takes no paste.', isRefusal: true });
  });

  test('says why the output ends early', async () => {
    const served = { 'api/output': () => new Response('forgotten', { status: 404 }) };
    using page = await open('#/process/tool_web', served);
    const text = 'The output ends here, it cannot be read on: forgotten';
    await vi.waitFor(() => expect(page.find('.output').text).toContain(text));
  });

  test('searches with Enter, backwards with Shift, and says what is missing', async () => {
    using page = await open('#/process/tool_web');
    await lastScreen();
    await page.click('search');
    const input = () => page.find('.output').findAll('input')[0];
    const press = (key: string, shiftKey = false) => input()?.dispatch('keydown', { key, shiftKey });

    press('Enter');
    expect(found).not.toHaveBeenCalled();
    const field = input();
    if (field !== undefined) field.value = 'err';
    field?.dispatch('input');
    await page.settle();
    press('Enter');
    found.mockReturnValueOnce(false);
    press('Enter', true);
    await page.settle();
    expect(found.mock.calls).toEqual([['next err'], ['previous err']]);
    expect(page.find('.answer').text).toContain('The shown output does not contain “err”.');
    press('Escape');
    await page.settle();

    expect(input()).toBeUndefined();
  });

  test('asks for the times of the output in the past, after a moment', async () => {
    const marks = [{ offset: 2, since: 1, until: 2 }];
    let answer = { marks, lastAt: null };
    using page = await open('#/process/tool_web', { 'api/times': () => Response.json(answer) });
    const title = () => page.find('.output').findAll('span')[0]?.text;

    page.state.travelTo(4_000);
    await vi.waitFor(() => expect(page.requests).toContain('api/times?id=tool_web'));
    expect(title()).toContain('now; shown as it was');
    answer = { marks: [], lastAt: null };
    page.state.travelTo(5_000);

    await vi.waitFor(() => expect(title()).toContain('; its times are unknown, so all is shown'));
  });
});
