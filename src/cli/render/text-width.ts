import { createRequire } from 'node:module';

type Measure = (text: string) => number;

/** One column each, as all of our own texts are. Measuring anything else takes tables that cost more to load than a short command takes. */
const narrow = /^[ -~¡-¬®-˿–—…⏎·●›→←↑↓⇢◆│└␀-␦�]*$/;

let measure: Measure | null = null;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  measure ??= loadMeasure();
  return measure(text);
}

function loadMeasure(): Measure {
  const module = createRequire(import.meta.url)('string-width') as typeof import('string-width');
  return module.default;
}
