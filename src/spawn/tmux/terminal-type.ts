import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** By which tmux is known to programs; the last one is known everywhere. */
const names = ['tmux-256color', 'screen-256color', 'screen'] as const;

/** The best name that this machine has a description for. */
export function findTerminalType(env: NodeJS.ProcessEnv = process.env): string {
  const { TERMINFO, HOME, TERMINFO_DIRS = '' } = env;
  const places = [
    ...(TERMINFO === undefined ? [] : [TERMINFO]),
    ...(HOME === undefined ? [] : [join(HOME, '.terminfo')]),
    ...TERMINFO_DIRS.split(':').filter((place) => place !== ''),
    ...systemPlaces,
  ];
  return names.find((name) => places.some((place) => describes(place, name))) ?? 'screen';
}

const systemPlaces = ['/etc/terminfo', '/lib/terminfo', '/usr/share/terminfo', '/usr/share/lib/terminfo'];

/** Under the first letter, or where names differ in nothing but case, as on macOS, under its number. */
function describes(place: string, name: string): boolean {
  const [letter = ''] = name;
  return [letter, letter.charCodeAt(0).toString(16)].some((folder) => existsSync(join(place, folder, name)));
}
