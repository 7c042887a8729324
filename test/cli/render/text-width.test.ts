import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { textWidth } from '../../../src/cli/render/wrap.ts';

test.each(['', 'plain', 'é ü ß', '– — … ⏎ · ● › → ← ⇢ ◆ │ └ ␛ �', '日本語', '👍🏽', 'e\u0301'])(
  'the width of %j is that of a terminal',
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);
