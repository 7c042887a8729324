import { describe, expect, test, vi } from 'vitest';
import type { Range } from '../../../src/inspector/page/axis.ts';
import { type OpenPage, openPage } from './open-page.ts';
import { scene } from './scene.ts';
import type { SmallElement } from './small-dom.ts';

vi.mock('../../../src/inspector/page/terminal.ts', () => ({ openTerminal: () => ({ dispose: () => {} }) }));

const open = (hash = '#/process/tool_web') => openPage({ live: scene, now: 10_000, hash });
const pressed = (page: OpenPage, key: string) => page.find('.rows').dispatch('keydown', { key });
const chosen = (page: OpenPage) => page.state.selection.value?.id;
/** Sets a range of one second, in which 1 % is 10 ms and the whole width 1 000 pixels. */
const showSecond = async (page: OpenPage) => {
  page.state.chosenRange.value = { from: 9_000, to: 10_000 };
  await page.settle();
};
const shown = (page: OpenPage): Range => {
  const { from, to } = page.state.range.value;
  return { from: Math.round(from), to: Math.round(to) };
};

describe('a key in the table', () => {
  test.each([
    ['ArrowDown', 'tool_build'],
    ['ArrowUp', 'assistant'],
    ['Home', 'm1'],
    ['End', 'tool_test'],
    ['PageDown', 'tool_test'],
    ['PageUp', 'm1'],
  ])('%s chooses %s', async (key, id) => {
    using page = await open();

    expect(pressed(page, key)).toBe(true);

    expect(chosen(page)).toBe(id);
    expect(location.hash).toMatch(new RegExp(`^#/(machine|conversation|process)/${id}$`));
  });

  test('never leaves the table', async () => {
    using page = await open('#/process/tool_test');

    pressed(page, 'ArrowDown');
    expect(chosen(page)).toBe('tool_test');
    pressed(page, 'Home');
    pressed(page, 'ArrowUp');

    expect(chosen(page)).toBe('m1');
  });

  test.each([
    ['+', { from: 9_300, to: 10_000 }],
    ['=', { from: 9_300, to: 10_000 }],
    ['-', { from: 8_600, to: 10_000 }],
    ['ArrowLeft', { from: 8_900, to: 9_900 }],
    ['ArrowRight', { from: 9_100, to: 10_100 }],
  ])('%s changes the shown time', async (key, range) => {
    using page = await open();
    await showSecond(page);

    expect(pressed(page, key)).toBe(true);

    expect(shown(page)).toEqual(range);
  });

  test('0 shows all, with room behind the end', async () => {
    using page = await open();
    await showSecond(page);

    pressed(page, '0');

    expect(shown(page)).toEqual({ from: 500, to: 10_570 });
  });

  test('scrolls as far as the chosen row needs', async () => {
    using page = await open('#/machine/m1');
    const rows = page.find('.rows');
    rows.clientHeight = 60;

    pressed(page, 'End');
    // Eight rows of 30 pixels, of which two are visible.
    expect(rows.scrollTop).toBe(8 * 30 - 60);
    pressed(page, 'ArrowUp');
    expect(rows.scrollTop).toBe(8 * 30 - 60);
    pressed(page, 'Home');

    expect(rows.scrollTop).toBe(0);
  });

  test('without a meaning is left to the browser', async () => {
    using page = await open();

    expect(pressed(page, 'a')).toBe(false);
  });

  test('Enter goes to the input of the process', async () => {
    using page = await open('#/process/tool_build');
    const querySelector = vi.spyOn(page.document, 'querySelector');

    pressed(page, 'Enter');

    expect(querySelector).toHaveBeenCalledWith('.pane.output .xterm textarea, .pane.output input');
  });
});

test.each([
  ['all', { from: 500, to: 10_570 }],
  ['1 min', { from: -50_000, to: 13_600 }],
  ['10 s', { from: 0, to: 10_600 }],
])('the button "%s" shows that time until now', async (name, range) => {
  using page = await open();

  await page.click(name);

  expect(shown(page)).toEqual(range);
  expect(page.button(name).attributes.get('aria-pressed')).toBe('true');
});

describe('the wheel', () => {
  const wheel = async (page: OpenPage, facts: object) => {
    const isTaken = page.find('.sizer').dispatch('wheel', { deltaX: 0, deltaY: 0, clientX: 0, ...facts });
    await page.settle();
    return isTaken;
  };

  test('zooms around the pointer with Ctrl', async () => {
    using page = await open();
    await showSecond(page);

    expect(await wheel(page, { ctrlKey: true, deltaY: 300 * Math.log(2), clientX: 500 })).toBe(true);

    expect(shown(page)).toEqual({ from: 8_500, to: 10_500 });
  });

  test('pans sideways', async () => {
    using page = await open();
    await showSecond(page);

    expect(await wheel(page, { deltaX: 100, deltaY: 99 })).toBe(true);

    expect(shown(page)).toEqual({ from: 9_100, to: 10_100 });
  });

  test('scrolls the table otherwise', async () => {
    using page = await open();
    await showSecond(page);

    expect(await wheel(page, { deltaX: 100, deltaY: 100 })).toBe(false);

    expect(shown(page)).toEqual({ from: 9_000, to: 10_000 });
  });
});

describe('dragging a lane', () => {
  const down = (element: SmallElement, facts: object = {}) =>
    element.dispatch('pointerdown', { button: 0, clientX: 500, ...facts });
  const onWindow = (type: string, facts: object = {}) =>
    (window as unknown as SmallElement).dispatch(type, facts);

  test('pans by the way of the pointer', async () => {
    using page = await open();
    await showSecond(page);

    down(page.find('.lane'));
    onWindow('pointermove', { clientX: 503 });
    expect(shown(page).from).toBe(9_000);
    onWindow('pointermove', { clientX: 400 });
    expect(shown(page)).toEqual({ from: 9_100, to: 10_100 });
    onWindow('pointermove', { clientX: 502 });
    expect(shown(page).from).toBe(8_998);
    onWindow('pointerup');
    onWindow('pointermove', { clientX: 0 });

    expect(shown(page).from).toBe(8_998);
  });

  test('swallows the click that ends it, and no other', async () => {
    using page = await open();
    const stopPropagation = vi.fn();

    down(page.find('.lane'));
    onWindow('pointerup');
    onWindow('click', { stopPropagation });
    expect(stopPropagation).not.toHaveBeenCalled();
    down(page.find('.lane'));
    onWindow('pointermove', { clientX: 400 });
    onWindow('pointerup');
    onWindow('click', { stopPropagation });
    await page.settle();
    onWindow('click', { stopPropagation });

    expect(stopPropagation).toHaveBeenCalledOnce();
  });

  test('begins with the first button on a lane only', async () => {
    using page = await open();
    await showSecond(page);

    down(page.find('.lane'), { button: 2 });
    down(page.find('.cell'));
    onWindow('pointermove', { clientX: 0 });

    expect(shown(page)).toEqual({ from: 9_000, to: 10_000 });
  });
});

describe('time travel', () => {
  const value = ({ state }: OpenPage) => state.travel.value;

  test('steps from event to event, and to now after the last', async () => {
    using page = await open();
    expect(page.button('Next event').attributes.has('disabled')).toBe(true);

    await page.click('Previous event');
    expect(value(page)).toBe(6_200);
    expect(page.button('Next event').attributes.has('disabled')).toBe(false);
    await page.click('Previous event');
    expect(value(page)).toBe(6_100);
    await page.click('Next event');
    await page.click('Next event');

    expect(value(page)).toBeNull();
  });

  test('stays at the first event', async () => {
    using page = await open();
    page.state.travelTo(500);

    page.state.stepMoment(-1);

    expect(value(page)).toBe(500);
  });

  test('goes where the slider is, and back', async () => {
    using page = await open();

    await page.type('[aria-label=Moment]', '5000');
    expect(value(page)).toBe(5_000);
    expect(page.find('time').text).toBe('00:00:05.000');
    expect(page.find('.travel').attributes.get('class')).toBe('travel past');
    await page.click('back to now');

    expect(value(page)).toBeNull();
    expect(page.find('time').text).toBe('00:00:10');
    expect(page.find('.live').text).toBe('● live');
  });

  test('the future is now', async () => {
    using page = await open();

    page.state.travelTo(10_000);
    expect(value(page)).toBeNull();
    page.state.travelTo(9_999);

    expect(value(page)).toBe(9_999);
  });

  /** Replaces the timers of the page: a test ends each pause itself. */
  const takeTimers = () => {
    const pauses: { readonly ms: number; readonly end: () => void }[] = [];
    const cleared: number[] = [];
    Object.assign(window, {
      setTimeout: (end: () => void, ms: number) => pauses.push({ ms, end }),
      clearTimeout: (timer: number) => cleared.push(timer),
    });
    return { pauses, cleared };
  };

  test('plays all events with their pauses, a second at most', async () => {
    using page = await open();
    const { pauses } = takeTimers();
    const seen: unknown[] = [];
    page.state.travel.subscribe((time) => seen.push(time));

    await page.click('Play');
    for (let index = 0; index < pauses.length; index += 1) pauses[index]?.end();

    expect(seen.slice(0, 6)).toEqual([null, 500, 700, 800, 900, 1_000]);
    expect(seen.slice(-4)).toEqual([6_000, 6_100, 6_200, null]);
    expect(pauses.slice(0, 3).map(({ ms }) => ms)).toEqual([200, 100, 100]);
    expect(pauses.slice(-4).map(({ ms }) => ms)).toEqual([800, 1_000, 100, 100]);
    await page.settle();
    expect(page.button('Play').text).toBe('▶');
  });

  test('plays on from the shown moment, until it is paused', async () => {
    using page = await open();
    const { pauses, cleared } = takeTimers();
    page.state.travelTo(4_000);

    await page.click('Play');
    pauses[0]?.end();
    expect(page.button('Pause').text).toBe('❚❚');
    await page.click('Pause');

    expect(value(page)).toBe(6_000);
    expect(cleared).toEqual([2]);
    expect(page.button('Play').text).toBe('▶');
  });

  test.each(['Previous event', 'back to now'])('a play ends with "%s"', async (button) => {
    using page = await open();
    const { cleared } = takeTimers();

    await page.click('Play');
    await page.click(button);

    expect(cleared).toEqual([1]);
    expect(page.button('Play').text).toBe('▶');
  });
});

describe('a key of the page', () => {
  const press = (target: SmallElement, key: string) => target.dispatch('keydown', { key });

  test.each([
    [',', 6_200],
    ['a', null],
  ])('%s steps to %s', async (key, moment) => {
    using page = await open();

    press(page.document, key);

    expect(page.state.travel.value).toBe(moment);
  });

  test('. steps forward', async () => {
    using page = await open();
    page.state.travelTo(6_100);

    press(page.document, '.');

    expect(page.state.travel.value).toBe(6_200);
  });

  test('/ goes to the filter, in which it is a letter', async () => {
    using page = await open();
    const filter = page.find('#filter');

    expect(press(page.document, '/')).toBe(true);
    expect(filter.isFocused).toBe(true);
    expect(press(filter, '/')).toBe(false);
    press(filter, ',');

    expect(page.state.travel.value).toBeNull();
  });

  test('Escape leaves the filter, and takes the answer away', async () => {
    using page = await open();
    const filter = page.find('#filter');
    filter.focus();
    page.state.answer.value = { text: 'No.', isRefusal: true };

    press(filter, 'Escape');

    expect(page.state.answer.value).toBeNull();
    expect(filter.isFocused).toBe(false);
  });
});

describe('a click chooses', () => {
  test.each(['tool_web', 'assistant', 'sup_two', 'm1'])('the row %s', async (id) => {
    using page = await open('#/process/tool_build');

    page.find(`[data-id="${id}"]`).dispatch('click');
    await page.settle();

    expect(chosen(page)).toBe(id);
    expect(page.find('.selected').attributes.get('data-id')).toBe(id);
  });

  test('the process that a call has started', async () => {
    using page = await open('#/conversation/assistant');

    await page.click('→ web');

    expect(page.state.selection.value).toEqual({ type: 'process', id: 'tool_web' });
  });

  test('the process of a notice, which is marked then', async () => {
    using page = await open('#/conversation/assistant');
    expect(page.document.findAll('.about')).toEqual([]);

    await page.click('test');
    page.state.select({ type: 'process', id: 'tool_test' });
    await page.settle();

    expect(chosen(page)).toBe('tool_test');
  });

  test('the owner in the facts', async () => {
    using page = await open();
    await page.click('facts');

    await page.click('assistant');

    expect(page.state.selection.value).toEqual({ type: 'conversation', id: 'assistant' });
  });

  test('a moment of the timeline, and of the steps of a machine', async () => {
    using page = await open();
    await page.click('facts');

    await page.click('00:00:02.000');
    expect(page.state.travel.value).toBe(2_000);
    page.state.travelTo(null);
    page.state.select({ type: 'machine', id: 'm1' });
    await page.settle();
    await page.click('00:00:00.500');

    expect(page.state.travel.value).toBe(500);
  });

  test('the tab of a pane', async () => {
    using page = await open();

    await page.click('conversation');

    expect(page.find('.detail').attributes.get('class')).toBe('detail show-conversation');
  });
});

test.each([
  ['#/process/tool%20x', { type: 'process', id: 'tool x' }],
  ['#/supervisor/a', { type: 'supervisor', id: 'a' }],
  ['#/process/', null],
  ['#/other/a', null],
  ['', null],
])('the address %s chooses %j', async (hash, selection) => {
  using page = await openPage({ live: {}, now: 10_000, hash });

  expect(page.state.selection.value).toEqual(selection);
});

test('a choice is in the address, once', async () => {
  using page = await open('');
  const pushState = vi.spyOn(history, 'pushState');

  page.state.select({ type: 'process', id: 'a b' });
  page.state.select({ type: 'process', id: 'a b' });
  expect(location.hash).toBe('#/process/a%20b');
  page.state.select(null);

  expect(location.hash).toBe('#/');
  expect(pushState).toHaveBeenCalledTimes(2);
});
