import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor, showsSecret } from '../../src/output/redact.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { createMemoryLog } from '../support/output-logs.ts';
import { anyCuts } from './arrange.ts';

const secret = 'hunter2-secret';

function redactDrawn(pieces: readonly Buffer[]): string {
  const redactor = createRedactor([secret], 'drawn');
  if (redactor === null) throw new Error('There is nothing to hide.');
  return Buffer.concat([...pieces.map((piece) => redactor.push(piece)), redactor.flush()]).toString();
}

test.for([
  ['a carriage return', 'hunter2\r-secret'],
  ['the end of a row', 'hunter2 \r-secret'],
  ['a colour', '\x1b[1mhun\x1b[0;31mter2-secret\x1b[0m'],
  ['a cursor that moves', 'hunter2-\x1b[12;1Hsecret'],
  ['a line break', 'hunter2-\r\nsecret'],
  ['a character set', 'hunter2-\x1b(Bsecret'],
  ['a title', 'hunter2-\x1b]0;title\x07secret'],
  ['a link', 'hunter2\x1b]8;;https://a.b/\x1b\\-secret'],
  ["a program's own words", 'hunter2-\x1b_Gi=1;AAAA\x1b\\sec\x1bP1$r\x1b\\ret'],
  ['a title that another sequence breaks off', 'hunter2-\x1b]0;title\x1b[1msecret'],
  ['a bell', 'hunter2-\x07secret'],
  ['a full row, its next character twice', 'hunter2-\x1b[27m\r\x1b[7m-secret'],
])('a secret over %s is hidden', ([, drawn]) => {
  const shown = redactDrawn([Buffer.from(`key: ${drawn} ok`)]);

  expect(shown).toContain('key: ');
  expect(shown).toContain('[redacted]');
  expect(shown).toContain(' ok');
  expect(shown).not.toMatch(/hun|ter2|secret/);
});

test('a drawn secret is hidden however it is cut', () => {
  const drawn = Buffer.from('$ hunter2 \r-sec\x1b[7mret\x1b[27m\r\nhunter2-nothing hunter2-se');
  fc.assert(
    fc.property(anyCuts(drawn), (pieces) => {
      expect(redactDrawn(pieces)).toBe('$ [redacted]\x1b[27m\r\n[redacted]nothing [redacted]');
    }),
  );
});

test('text that resembles a secret is left alone', () => {
  const text = 'hunter 2-secret \x1b[31mhunter\x1b[0m x hunte-secret 2-secret';

  expect(redactDrawn([Buffer.from(text)])).toBe(text);
});

test('a secret drawn anew with each character stays hidden', () => {
  const frames = Array.from(secret, (_, index) => `\r\x1b[K> ${secret.slice(0, index + 1)}`);
  const shown = frames.map((frame, index) => (index < 6 ? frame : '\r\x1b[K> [redacted]')).join('');
  fc.assert(
    fc.property(anyCuts(Buffer.from(`${frames.join('')}\r\n`)), (pieces) => {
      expect(redactDrawn(pieces)).toBe(`${shown}\r\n`);
    }),
  );
});

test('any drawing is hidden the same however it is cut', () => {
  const pieces = ['hunter', '2-sec', 'ret', 'h', ' ', '\r', '\x1b', '[1m', ']0;t', '\x07', '\\', '\x1b]'];
  const flood = `\x1b]${'x'.repeat(508)}`;
  const drawing = fc.array(fc.constantFrom(...pieces, flood), { maxLength: 14 });
  const cut = drawing.chain((parts) => anyCuts(Buffer.from(parts.join(''))));
  fc.assert(
    fc.property(cut, (parts) => {
      expect(redactDrawn(parts)).toBe(redactDrawn([Buffer.concat(parts)]));
    }),
    { numRuns: 1_000 },
  );
});

test('a title that never ends is not held for ever', () => {
  const redactor = createRedactor([secret], 'drawn');

  const shown = redactor?.push(Buffer.from(`hunter2-\x1b]0;${'x'.repeat(10_000)}`));

  expect(Buffer.from(shown ?? []).toString()).toBe(`[redacted]\x1b]0;${'x'.repeat(10_000)}`);
});

test('no flood of control sequences is held for ever', () => {
  const redactor = createRedactor([secret], 'drawn');

  const shown = redactor?.push(Buffer.from(`h${'\x1b[K'.repeat(10_000)}`));

  expect(shown?.byteLength).toBeGreaterThan(29_000);
});

test('a text shows a secret also where it is drawn', () => {
  expect(showsSecret('\x1b[1mhunter2\x1b[0m-secret', [secret])).toBe(true);
  expect(showsSecret('hunter2', [secret])).toBe(false);
});

test('a secret that is added is hidden from then on', () => {
  const clock = createVirtualClock();
  const log = createMemoryLog({ clock, maxBufferBytes: 4_096, headBytes: 0 });
  log.write('stdout', Buffer.from('before '));

  log.addSecret(secret);
  log.addSecret('another-one');
  log.write('stdout', Buffer.from('hunter2-'));
  log.write('stdout', Buffer.from('secret another-'));
  log.write('stdout', Buffer.from('one end'));

  const chunks = [...log.chunks(0)].map((piece) => (piece.type === 'chunk' ? Buffer.from(piece.bytes) : ''));
  expect(chunks.join('')).toBe('before [redacted] [redacted] end');
});

test('output held while a secret is added is not lost', () => {
  const clock = createVirtualClock();
  const log = createMemoryLog({ clock, maxBufferBytes: 4_096, headBytes: 0, secrets: ['first-secret'] });
  log.write('stdout', Buffer.from('a first-'));

  log.addSecret(secret);
  log.write('stdout', Buffer.from('secret b'));

  const chunks = [...log.chunks(0)].map((piece) => (piece.type === 'chunk' ? Buffer.from(piece.bytes) : ''));
  expect(chunks.join('')).toBe('a [redacted] b');
});
