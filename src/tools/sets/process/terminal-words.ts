import type { TerminalWords } from '../../actions/terminal-words.ts';

/** In the words of this set. */
export const terminalWords: TerminalWords = {
  read: 'Read what it printed with get_process_output.',
  write: 'Its input is a pipe: use write_process; to stop it use kill_process.',
  answer: 'Where its input is a pipe use write_process; to stop it use kill_process.',
  textField: 'text',
};
