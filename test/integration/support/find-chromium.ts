import { existsSync } from 'node:fs';
import { isInstalled } from '../../support/installed.ts';

const places = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns the path of the browser of the system, installed with apt-get where this program may do so, or `null`. */
export function findChromium(): string | null {
  const find = () => places.find((place) => place !== '' && existsSync(place)) ?? null;
  const found = find();
  if (found !== null || process.getuid?.() !== 0) return found;
  isInstalled('chromium');
  return find();
}
