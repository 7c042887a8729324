import * as fc from 'fast-check';
import { map } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { iterateLog } from '../../src/output/follow-log.ts';
import { GuardedObservable } from '../../src/output/guarded-observable.ts';
import type { OutputLine } from '../../src/output/lines.ts';
import { lines$, output$ } from '../../src/output/observables.ts';
import type { OutputGap, OutputPiece } from '../../src/output/output-chunk.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { anyCuts, bytesOf, createTestLog, droppedIn } from './arrange.ts';

async function collect(pieces: AsyncIterable<OutputPiece>): Promise<OutputPiece[]> {
  const collected: OutputPiece[] = [];
  for await (const piece of pieces) collected.push(piece);
  return collected;
}

describe('output$', () => {
  test('replays what is kept, then what comes, once', () => {
    const log = createTestLog();
    log.write('stdout', Buffer.from('before '));
    const seen: OutputPiece[] = [];
    let completions = 0;

    output$(log).subscribe({ next: (piece) => seen.push(piece), complete: () => (completions += 1) });
    log.write('stdout', Buffer.from('after'));
    log.finish();
    log.write('stdout', Buffer.from('late'));
    log.finish();

    expect(bytesOf(seen).toString()).toBe('before after');
    expect(completions).toBe(1);
  });

  test('a subscriber after the end gets everything kept', () => {
    const log = createTestLog();
    log.write('stdout', Buffer.from('all'));
    log.finish();
    const seen: OutputPiece[] = [];
    let isComplete = false;

    output$(log).subscribe({ next: (piece) => seen.push(piece), complete: () => (isComplete = true) });

    expect(bytesOf(seen).toString()).toBe('all');
    expect(isComplete).toBe(true);
  });

  test('a subscriber that throws reaches no other', () => {
    const log = createTestLog();
    const errors: unknown[] = [];
    const seen: OutputPiece[] = [];
    const stream$ = output$(log, { onSubscriberError: (error) => errors.push(error) });
    stream$.pipe(map((piece) => piece)).subscribe(() => {
      throw new Error('broken');
    });
    stream$.subscribe((piece) => seen.push(piece));

    log.write('stdout', Buffer.from('a'));
    log.write('stdout', Buffer.from('b'));

    expect(errors).toEqual([new Error('broken')]);
    expect(bytesOf(seen).toString()).toBe('ab');
  });

  test('a gap tells a late subscriber what is missing', () => {
    const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });
    log.write('stdout', Buffer.alloc(50_000, 'x'));
    const seen: OutputPiece[] = [];

    output$(log).subscribe((piece) => seen.push(piece));

    expect(droppedIn(seen)).toBe(50_000 - 1024);
  });

  test('a subscriber that writes sees the order of writing', () => {
    const log = createTestLog();
    const texts: string[] = [];
    output$(log).subscribe((piece) => {
      const text = bytesOf([piece]).toString();
      texts.push(text);
      if (text === 'a') log.write('stderr', Buffer.from('b'));
    });

    log.write('stdout', Buffer.from('a'));
    log.write('stdout', Buffer.from('c'));

    expect(texts).toEqual(['a', 'b', 'c']);
  });
});

describe('lines$', () => {
  test('gives the same lines however text is cut', () => {
    const text = 'one\r\ntwö\n\n🎉 three\nlast';
    fc.assert(
      fc.property(anyCuts(Buffer.from(text)), (pieces) => {
        const log = createTestLog();
        const seen: (OutputLine | OutputGap)[] = [];
        lines$(log, { clock: createVirtualClock() }).subscribe((line) => seen.push(line));

        for (const piece of pieces) log.write('stdout', piece);
        log.finish();

        const lines = seen.flatMap((line) => (line.type === 'line' ? [[line.text, line.complete]] : []));
        expect(lines).toEqual([
          ['one', true],
          ['twö', true],
          ['', true],
          ['🎉 three', true],
          ['last', false],
        ]);
      }),
    );
  });

  test('streams do not mix within a line', () => {
    const log = createTestLog();
    const texts: string[] = [];
    lines$(log, { clock: createVirtualClock() }).subscribe(
      (line) => line.type === 'line' && texts.push(`${line.stream} ${line.text}`),
    );

    log.write('stdout', Buffer.from('out '));
    log.write('stderr', Buffer.from('err\n'));
    log.write('stdout', Buffer.from('put\n'));

    expect(texts).toEqual(['stderr err', 'stdout out put']);
  });

  test('an endless line comes in bounded pieces', () => {
    const log = createTestLog();
    const lines: OutputLine[] = [];
    lines$(log, { clock: createVirtualClock() }).subscribe(
      (line) => line.type === 'line' && lines.push(line),
    );

    for (let count = 0; count < 64; count += 1) log.write('stdout', Buffer.alloc(10_000, 'x'));
    log.finish();

    expect(lines.every(({ complete, text }) => !complete && text.length <= 64 * 1024)).toBe(true);
    expect(lines.reduce((sum, { text }) => sum + text.length, 0)).toBe(640_000);
  });
});

describe('iterating', () => {
  test('a slow consumer gets an exact gap', async () => {
    const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });
    log.write('stdout', Buffer.alloc(50, 'a'));
    const pieces: OutputPiece[] = [];

    for await (const piece of iterateLog(log)) {
      pieces.push(piece);
      if (pieces.length === 1) log.write('stdout', Buffer.alloc(30_000, 'b'));
      if (pieces.length === 2) log.finish();
    }

    expect(bytesOf(pieces).length + droppedIn(pieces)).toBe(30_050);
    expect(droppedIn(pieces)).toBe(30_050 - 1024);
  });

  test('waits for what comes and ends with the log', async () => {
    const log = createTestLog();
    const reading = collect(iterateLog(log, { stream: 'stdout' }));

    log.write('stderr', Buffer.from('not this'));
    log.write('stdout', Buffer.from('this'));
    log.finish();

    expect(bytesOf(await reading).toString()).toBe('this');
  });

  test('starts from an offset', async () => {
    const log = createTestLog();
    log.write('stdout', Buffer.from('0123456789'));
    log.finish();

    const pieces = await collect(iterateLog(log, { from: 4 }));

    expect(bytesOf(pieces).toString()).toBe('456789');
  });
});

describe('a guarded observable', () => {
  test('hands unhandled errors to its owner', () => {
    const errors: unknown[] = [];
    const guarded = new GuardedObservable<number>(
      (subscriber) => subscriber.error(new Error('source')),
      (error) => errors.push(error),
    );

    guarded.pipe(map((value) => value)).subscribe();

    expect(errors).toEqual([new Error('source')]);
  });

  test('runs the teardown of a subscriber that threw', () => {
    let isTornDown = false;
    const guarded = new GuardedObservable<number>(
      (subscriber) => {
        subscriber.next(1);
        subscriber.next(2);
        return () => {
          isTornDown = true;
        };
      },
      () => {
        throw new Error('reporter');
      },
    );
    const seen: number[] = [];

    guarded.subscribe((value) => {
      seen.push(value);
      throw new Error('broken');
    });

    expect(seen).toEqual([1]);
    expect(isTornDown).toBe(true);
  });
});
