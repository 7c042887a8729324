import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import type { BackendPort } from '../backend.ts';

/** Runs an attempt whose start takes more than one turn: commands wait for it. */
export function runLater(port: BackendPort, run: (port: BackendPort) => Promise<Cancel>): Cancel {
  const waiting: BackendCommand[] = [];
  let listener = (command: BackendCommand): void => void waiting.push(command);
  let isCanceled = false;
  let cancel: Cancel = () => {
    isCanceled = true;
  };
  port.onCommand((command) => listener(command));
  const onCommand: BackendPort['onCommand'] = (next) => {
    listener = next;
    for (const command of waiting.splice(0)) next(command);
  };
  run({ ...port, onCommand }).then(
    (started) => {
      cancel = started;
      if (isCanceled) started();
    },
    (error: unknown) =>
      port.tell({ type: 'process.lost', why: `its start broke off: ${toErrorText(error)}` }),
  );
  return () => cancel();
}
