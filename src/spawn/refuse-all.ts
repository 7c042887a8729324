import type { BackendPort } from './backend.ts';
import { refuseScreen, refuseWrite } from './tree-commands.ts';

/**
 * Answers whatever is ordered of an attempt that has come to nothing: an order may be given before anybody has heard of that. To be
 * called in the turn of `run` or `adopt`, in place of `port.onCommand`.
 */
export function refuseAll({ onCommand, tell }: Pick<BackendPort, 'onCommand' | 'tell'>): void {
  onCommand((command) => {
    switch (command.type) {
      case 'process.signal':
        return tell({ type: 'tree.gone', ended: [] });
      case 'tree.survey':
        return tell({ type: 'tree.surveyed', leftovers: [] });
      case 'output.settle':
        return tell({ type: 'output.quieted' });
      case 'terminal.capture':
        return command.reply(refuseScreen('notRunning', notRunning));
      default:
        return command.reply(refuseWrite('notRunning', notRunning));
    }
  });
}

const notRunning = 'It is not running.';
