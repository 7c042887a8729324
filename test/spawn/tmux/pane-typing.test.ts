import { describe, expect, test } from 'vitest';
import type { KeyStroke } from '../../../machines/process/terminal.ts';
import { createPaneTyping, type TypedPart, toParts, toRefusal } from '../../../src/spawn/tmux/pane-typing.ts';
import type { TmuxAnswer, TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';

const stroke = (text: string): KeyStroke => ({ type: 'text', text });
const refused = { ok: false, error: 'no room', isGone: false } as const;

/** Types into a server that notes what it is asked, and gives these answers in order, then `ok`. */
function arrange(...answers: readonly TmuxAnswer[]) {
  const asked: string[] = [];
  const next = (): TmuxAnswer => answers[asked.length - 1] ?? { ok: true, text: '' };
  const server = {
    ask: async () => {
      asked.push('as words');
      return next();
    },
    run: async (input: Uint8Array, commands: readonly (readonly string[])[]) => {
      asked.push(`run ${input.byteLength} ${commands.map(([name]) => name).join(' ')}`);
      return next();
    },
  } as unknown as TmuxServer;
  return { asked, typing: createPaneTyping({ server, id: 'tool_a', clock: createVirtualClock() }) };
}

const throughBuffer = (bytes: number) =>
  expect.stringMatching(`^run ${bytes} load-buffer .*paste-buffer display-message$`);

describe('bytes for a terminal of tmux', () => {
  test.each([
    [1_024, ['as words']],
    [1_025, [throughBuffer(1_025)]],
    [16_384, [throughBuffer(16_384)]],
    [16_385, [throughBuffer(16_384), 'as words']],
    [40_000, [throughBuffer(16_384), throughBuffer(16_384), throughBuffer(7_232)]],
  ])('are sent in pieces: %i', async (bytes, expected) => {
    const { asked, typing } = arrange();

    expect(await typing.typeBytes(new Uint8Array(bytes))).toEqual({ ok: true, bytesWritten: bytes });

    expect(asked).toEqual(expected);
  });

  test('are counted up to the piece that is refused, whose buffer is removed', async () => {
    const { asked, typing } = arrange({ ok: true, text: '' }, refused);

    expect(await typing.typeBytes(new Uint8Array(20_000))).toMatchObject({
      ...{ ok: false, bytesWritten: 16_384, code: 'broken', error: 'tmux refused it: no room.' },
    });

    expect(asked.at(-1)).toBe('run 0 delete-buffer');
  });
});

describe('parts of a key sequence', () => {
  const bytes = (length: number): TypedPart => ({ type: 'bytes', bytes: new Uint8Array(length) });

  test('are typed in order, and their bytes are added', async () => {
    const { typing } = arrange();
    const paste: TypedPart = { type: 'paste', bytes: new Uint8Array(7) };
    const strokes: TypedPart = {
      type: 'strokes',
      strokes: [
        stroke('äb'),
        { type: 'key', key: 'Enter', ctrl: false, alt: false, shift: false } as KeyStroke,
      ],
    };

    expect(await typing.typeParts([bytes(5), paste, strokes])).toEqual({ ok: true, bytesWritten: 5 + 7 + 4 });
  });

  test('end at the first that is refused', async () => {
    const { asked, typing } = arrange({ ok: true, text: '' }, refused);

    expect(await typing.typeParts([bytes(5), bytes(6), bytes(7)])).toMatchObject({
      ok: false,
      bytesWritten: 5,
    });
    expect(asked).toHaveLength(2);
  });

  test('are grouped: long texts and pastes alone, other strokes together', () => {
    const long = 'x'.repeat(16_385);

    expect(
      toParts([
        stroke('a'),
        stroke(''),
        stroke('b'),
        { type: 'paste', text: 'c\nd' },
        stroke(long),
        stroke('e'),
      ]),
    ).toEqual([
      { type: 'strokes', strokes: [stroke('a'), stroke('b')] },
      { type: 'paste', bytes: Buffer.from('c\rd') },
      { type: 'bytes', bytes: Buffer.from(long) },
      { type: 'strokes', strokes: [stroke('e')] },
    ]);
    expect(toParts([stroke('x'.repeat(16_384))])).toMatchObject([{ type: 'strokes' }]);
    expect(toParts([stroke('')])).toEqual([]);
  });
});

test('a pane that is gone runs no longer', () => {
  expect(toRefusal({ ok: false, error: 'x', isGone: true })).toMatchObject({
    ...{ ok: false, bytesWritten: 0, code: 'notRunning' },
    error: 'Its terminal is closed: the process has ended or lost it.',
  });
});
