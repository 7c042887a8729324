import type { Backend } from '../backend.ts';
import type { NoTerminal, TerminalWorld } from '../terminal/terminal-world.ts';

export function createTmuxBackend(_world: TerminalWorld): Backend | NoTerminal {
  return { why: 'not built yet' };
}
