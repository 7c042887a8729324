import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/output/redact.ts';
import { anyCuts } from './arrange.ts';

function redact(pieces: readonly Buffer[], secrets: readonly string[]): string {
  const redactor = createRedactor(secrets);
  if (redactor === null) return Buffer.concat(pieces).toString();
  return Buffer.concat([...pieces.map((piece) => redactor.push(piece)), redactor.flush()]).toString();
}

describe('the redactor', () => {
  test('does the same however the text is cut', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const secrets = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 5 }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    const cut = alphabet.chain((text) =>
      anyCuts(Buffer.from(`${text}.`)).map((pieces) => ({ text, pieces })),
    );
    fc.assert(
      fc.property(cut, secrets, ({ text, pieces }, needles) => {
        const shown = redact(pieces, needles);

        expect(shown).toBe(redact([Buffer.from(`${text}.`)], needles));
        for (const needle of needles) expect(shown.replaceAll('[redacted]', '\n')).not.toContain(needle);
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves text without secrets untouched', () => {
    const secret = 'tok_9f8e7d';
    fc.assert(
      fc.property(
        fc.string().chain((text) => fc.tuple(fc.constant(text), anyCuts(Buffer.from(text)))),
        ([text, pieces]) => {
          expect(redact(pieces, [secret])).toBe(Buffer.from(text).toString());
        },
      ),
    );
  });

  test('the longer of two secrets wins', () => {
    const shown = redact([Buffer.from('x abc'), Buffer.from('def y abcz')], ['abc', 'abcdef']);

    expect(shown).toBe('x [redacted] y [redacted]z');
  });

  test('overlapping secrets leave nothing of either', () => {
    const shown = redact([Buffer.from('1abc'), Buffer.from('de2')], ['abc', 'cde']);

    expect(shown).toBe('1[redacted]2');
  });

  test('only a real beginning of a secret is held', () => {
    const redactor = createRedactor(['secret']);

    const first = redactor?.push(Buffer.from('see s'));
    const second = redactor?.push(Buffer.from('ea'));

    expect(Buffer.from(first ?? []).toString()).toBe('see ');
    expect(Buffer.from(second ?? []).toString()).toBe('sea');
  });

  test('half a secret at the end is not shown', () => {
    expect(redact([Buffer.from('key: hunter2-sec')], ['hunter2-secret'])).toBe('key: [redacted]');
    expect(redact([Buffer.from('key: h')], ['hunter2-secret'])).toBe('key: h');
  });

  test('half a secret that breaks off is not shown', () => {
    const given = 'hunter2-secrex hunter2 hunter hunt2';

    expect(redact([Buffer.from(given)], ['hunter2-secret'])).toBe('[redacted]x [redacted] hunter hunt2');
    expect(redact([Buffer.from('hunter')], ['hunter22'])).toBe('[redacted]');
    expect(redact([Buffer.from('hunte.')], ['hunter22'])).toBe('hunte.');
  });

  test('redaction leaves whole characters', () => {
    const shown = redact([Buffer.from('пароль-слоновый пароль-слоненок')], ['пароль-словарь']);

    expect(shown).toBe('[redacted]новый [redacted]ненок');
  });

  test('half secrets are hidden the same however cut', () => {
    const unit = fc.constantFrom('a', 'b', 'é', 'è');
    const needles = fc.array(fc.string({ unit, minLength: 7, maxLength: 12 }), {
      minLength: 1,
      maxLength: 2,
    });
    const cut = needles.chain((secrets) => {
      const heads = secrets.flatMap((secret) => [secret, secret.slice(0, 6), secret.slice(0, -1)]);
      const text = fc.array(fc.oneof(fc.constantFrom(...heads), unit), { maxLength: 8 });
      return text.chain((parts) =>
        anyCuts(Buffer.from(parts.join(''))).map((pieces) => ({ pieces, secrets })),
      );
    });
    fc.assert(
      fc.property(cut, ({ pieces, secrets }) => {
        const shown = redact(pieces, secrets);

        expect(shown).toBe(redact([Buffer.concat(pieces)], secrets));
        for (const secret of secrets) {
          const head = secret.slice(0, Math.max(6, Math.ceil(secret.length / 2)));
          expect(shown.replaceAll('[redacted]', '\n')).not.toContain(head);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('a whole secret at the end is not shown', () => {
    const secrets = ['hunter2', 'hunter2-and-a-long-suffix'];

    expect(redact([Buffer.from('key: hunter2')], secrets)).toBe('key: [redacted]');
    expect(redact([Buffer.from('key: hunter2'), Buffer.from('-a')], secrets)).toBe('key: [redacted]-a');
    expect(redact([Buffer.from('key: hunter2-and-a-l')], secrets)).toBe('key: [redacted]');
  });

  test('half a secret inside another beginning is not shown', () => {
    const secrets = ['hunter2-secret', 'a hunter2-secret-that-goes-on-and-on'];

    expect(redact([Buffer.from('a hunter2-s')], secrets)).toBe('a [redacted]');
  });

  test('no whole secret is shown wherever the output ends', () => {
    const unit = fc.constantFrom('a', 'b');
    const needles = fc.array(fc.string({ unit, minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 });
    const cut = fc.string({ unit, maxLength: 20 }).chain((text) => anyCuts(Buffer.from(text)));
    fc.assert(
      fc.property(cut, needles, (pieces, secrets) => {
        const shown = redact(pieces, secrets);

        expect(shown).toBe(redact([Buffer.concat(pieces)], secrets));
        for (const secret of secrets) expect(shown.replaceAll('[redacted]', '\n')).not.toContain(secret);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a secret of several lines is found in a terminal', () => {
    expect(redact([Buffer.from('a\r\nkey one\r\nkey two\r\nb')], ['key one\nkey two\n'])).toBe(
      'a\r\n[redacted]\r\nb',
    );
  });

  test('empty secrets hide nothing', () => {
    expect(createRedactor(['', '\n'])).toBeNull();
  });
});
