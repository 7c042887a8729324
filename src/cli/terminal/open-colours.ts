/** Follows what a text has switched on in colours and the like, so that it can be switched on again elsewhere. */
export interface OpenColours {
  see(text: string): void;
  /** What switches it on; empty where nothing is. */
  opening(): string;
}

const selection = /\x1b\[([\d;:]*)m/g;

/** Select graphic rendition, ECMA-48 8.3.117: what each of these switches off. */
const ends: Readonly<Record<number, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4', '21'],
  25: ['5', '6'],
  27: ['7'],
  28: ['8'],
  29: ['9'],
  39: ['text'],
  49: ['ground'],
  55: ['53'],
  59: ['58'],
};

export function createOpenColours(): OpenColours {
  const open = new Map<string, string>();

  function select(parameters: string[]): void {
    for (let at = 0; at < parameters.length; ) {
      const code = Number.parseInt(parameters[at] || '0', 10);
      const length = lengthAt(parameters, at);
      const ended = ends[code];
      if (code === 0) open.clear();
      else if (ended === undefined) open.set(kindOf(code), parameters.slice(at, at + length).join(';'));
      else for (const kind of ended) open.delete(kind);
      at += length;
    }
  }

  return {
    see: (text) => {
      for (const [, parameters = ''] of text.matchAll(selection)) select(parameters.split(';'));
    },
    opening: () => (open.size === 0 ? '' : `\x1b[${[...open.values()].join(';')}m`),
  };
}

function kindOf(code: number): string {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 'text';
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 'ground';
  return `${code}`;
}

/** A colour of its own is several: `38;5;9`, `38;2;0;0;255`; in the form with colons it is one. */
function lengthAt(parameters: readonly string[], at: number): number {
  if (!['38', '48', '58'].includes(parameters[at] ?? '')) return 1;
  return parameters[at + 1] === '5' ? 3 : 5;
}
