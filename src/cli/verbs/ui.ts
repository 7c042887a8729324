import type { Command } from '@commander-js/extra-typings';
import { toError } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { onEndSignal } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { openDaemon } from '../open-daemon.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../verb.ts';
import { findStateDirectory, type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .option('--http <host:port>', 'where the page is served (127.0.0.1:7434)')
      .option('--allow-remote', 'listen also where other machines can reach it')
      .option('--read-only', 'show everything and change nothing'),
  );

/** Defines `troupe ui`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Serves a page that shows the processes of a state directory, live, and prints its link.')
    .addHelpText(
      'after',
      `
Only the holder of the link gets in: it contains a token that is new each time.
The page can kill processes and type into them, unless --read-only. Ctrl-C ends
it; no process is touched.

Example:
  ${name} ui`,
    )
    .action(async (flags) => end(await serveUi({ flags, io })));
};

const usualAddress = { host: '127.0.0.1', port: 7434 };

/** Serves the page until a signal ends it. @returns the exit code. @throws TroupeError `invalid-option` */
function serveUi(input: VerbInput<FlagsOf<typeof addFlags>>): Promise<number> {
  const { flags, io } = input;
  return withState(input, async (state) => {
    const [{ createDirectoryInspector }, { isLoopback, parseHttpAddress }, { serveHttp }] = await Promise.all(
      [
        import('../../inspector/create-inspector.ts'),
        import('../../mcp/http/http-address.ts'),
        import('../../mcp/http/serve-http.ts'),
      ],
    );
    const address = flags.http === undefined ? usualAddress : parseHttpAddress(flags.http, usualAddress);
    const isLocal = isLoopback(address);
    if (!isLocal && flags.allowRemote !== true) {
      const message = `--http is ${flags.http}, which other machines can reach, and the page can run commands here. Add --allow-remote if that is intended; the link has a token, but is not encrypted.`;
      throw new TroupeError({ code: 'invalid-option', message });
    }
    const directory = findStateDirectory({ flag: flags.stateDir, io });
    const inspector = createDirectoryInspector({
      directory: state,
      start: async (spec) => {
        const daemon = await openDaemon({ directory });
        try {
          return (await daemon.start(spec)).id;
        } finally {
          daemon.close();
        }
      },
      hosts: isLocal ? [] : 'any',
      readOnly: flags.readOnly === true,
    });
    const serve = (port: number) =>
      serveHttp({
        ...{ address: { ...address, port }, path: '/', option: '--http', fetch: inspector.fetch },
        onError: (error) => printError(io, toError(error).message),
      });
    const first = await serve(address.port);
    // The usual port may belong to the page of another directory.
    const listener = first.type === 'refused' && flags.http === undefined ? await serve(0) : first;
    if (listener.type === 'refused') {
      printError(io, listener.why);
      return exitCodes.failed;
    }
    printLines(io, inspector.link(listener.url));
    if (io.stderr.isTTY) printNote(io, `serving ${directory}; Ctrl-C ends it`);
    await new Promise<void>((resolve) => {
      const removeSignals = onEndSignal(() => {
        removeSignals();
        resolve();
      });
    });
    await listener.close();
    return exitCodes.done;
  });
}
