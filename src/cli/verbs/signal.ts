import type { Command } from '@commander-js/extra-typings';
import { TroupeError } from '../../config/troupe-error.ts';
import { parseSignal } from '../flag-values.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';
import { signalEach } from './pause.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .argument('<signal>', 'its name or number: HUP, SIGUSR1, 10, RTMIN+1')
      .option('-l, --leader', 'only to the command itself, not to what it started'),
    { json: 'print one JSON array', quiet: 'print only errors' },
  );

/** Defines `troupe signal`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Sends a signal to a process and everything it started, without ending it.')
    .addHelpText(
      'after',
      `
A program may end of a signal all the same; nothing follows then. STOP and CONT
are pause and resume. KILL is refused: use ${name} kill.

Examples:
  ${name} signal nginx HUP --leader
  ${name} signal server SIGUSR1
  ${name} signal build 10`,
    )
    .action(async (word, signalWord, flags) => {
      const signal = parseSignal(signalWord, 'the signal');
      if (signal === 'SIGKILL') throw killError(`${name} kill -9 ${word}`);
      const to = flags.leader === true ? 'leader' : 'tree';
      end(
        await signalEach({
          ...{ words: [word], flags, io },
          act: (state, id) => state.signal(id, { signal, to }),
        }),
      );
    });
};

function killError(command: string): TroupeError {
  const message = `SIGKILL ends a process, and troupe then proves that all of it is gone: ${command}.`;
  return new TroupeError({ code: 'invalid-option', message });
}
