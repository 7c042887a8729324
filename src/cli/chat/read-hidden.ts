interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/**
 * A line that is typed and does not show: while it is read, nobody else hears a key, so that it is in no history either. `null` for
 * Ctrl-C, Ctrl-D, and when it is not wanted any more. The input must tell of keys already.
 */
export function readHidden(input: NodeJS.ReadStream, signal: AbortSignal): Promise<string | null> {
  const others = input.listeners('keypress') as ((...args: unknown[]) => void)[];
  return new Promise((resolve) => {
    let typed: readonly string[] = [];
    const done = (answer: string | null) => {
      input.off('keypress', onKey);
      for (const other of others) input.on('keypress', other);
      signal.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    const giveUp = () => done(null);
    const onKey = (text: string | undefined, key: Key) => {
      if (key.name === 'return' || key.name === 'enter') return done(typed.join(''));
      if (key.ctrl && (key.name === 'c' || key.name === 'd')) return done(null);
      if (key.ctrl && key.name === 'u') typed = [];
      else if (key.name === 'backspace') typed = typed.slice(0, -1);
      else if (text !== undefined && isText(text) && !key.ctrl && !key.meta) typed = [...typed, ...text];
    };
    for (const other of others) input.off('keypress', other);
    input.on('keypress', onKey);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
}

function isText(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
