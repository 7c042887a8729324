import type { CaptureAnswer } from '../../machines/process/terminal.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { LONG, MAX_REQUEST_BYTES, QUICK } from '../control/protocol.ts';
import { readScreenFile } from '../spawn/terminal/screen-text.ts';
import {
  type AskSupervisor,
  type DirectoryDeps,
  findEnd,
  type Recorded,
  refuseInput,
  unreachableError,
} from './directory-deps.ts';
import type { StateDirectory } from './state-directory.ts';

type TerminalCalls = Pick<StateDirectory, 'capture' | 'sendKeys' | 'paste' | 'resize' | 'writeSecret'>;

/** Room for the rest of the request on its line. */
const FRAME_BYTES = 1_024;

/** Creates the calls for terminals of a state directory. */
export function createTerminalCalls(deps: DirectoryDeps, ask: AskSupervisor): TerminalCalls {
  const refuse = (it: Recorded) => refuseInput(deps, it);
  return {
    capture: (id, options = {}) =>
      ask(
        { id, method: 'capture', params: { id, options: { ...options } } },
        { options: QUICK, revives: true, orElse: (it) => captureRecorded(deps, it) },
      ),
    sendKeys: async (id, order) => {
      checkLength(order.text ?? '');
      return ask(
        { id, method: 'sendKeys', params: { id, order } },
        { options: LONG, revives: true, orElse: refuse },
      );
    },
    paste: async (id, text) => {
      checkLength(text);
      return ask(
        { id, method: 'paste', params: { id, text } },
        { options: LONG, revives: true, orElse: refuse },
      );
    },
    resize: (id, size) =>
      ask({ id, method: 'resize', params: { id, size } }, { options: QUICK, revives: true, orElse: refuse }),
    writeSecret: (id, secret) =>
      ask(
        { id, method: 'writeSecret', params: { id, ...secret } },
        { options: LONG, revives: true, orElse: refuse },
      ),
  };
}

/**
 * Returns the recorded last screen.
 *
 * @throws TroupeError `unreachable` for a live process.
 */
async function captureRecorded(deps: DirectoryDeps, it: Recorded): Promise<CaptureAnswer> {
  const { id, terminal, mode } = it.record.view;
  if (terminal?.type !== 'terminal') {
    const why = terminal === null ? `It ran as "${mode}".` : terminal.because;
    return { ok: false, code: 'noTerminal', error: `Process ${id} had no terminal. ${why}` };
  }
  if ((await findEnd(deps, it)) === null) throw unreachableError(it);
  const screen = readScreenFile(deps.paths.screenOf(id));
  if (screen !== null) return { ok: true, screen, drawing: null, offset: 0 };
  const error = `The last screen of ${id} was removed or never captured. Read its output instead.`;
  return { ok: false, code: 'broken', error };
}

/** @throws TroupeError `invalid-option` for a text that exceeds a request, which would end the connection. */
function checkLength(text: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes + FRAME_BYTES <= MAX_REQUEST_BYTES) return;
  const message = `the text is ${bytes} bytes long; expected less than ${MAX_REQUEST_BYTES - FRAME_BYTES}. Send it in several pieces, or write it to a file that the process reads.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
