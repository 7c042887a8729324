import type { Command } from '@commander-js/extra-typings';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .argument('[text...]', 'words of one line')
      .option('--no-newline', 'write the text without a newline')
      .option('--eof', 'close its input afterwards')
      .option('--secret <name>', 'write a secret, then press Enter')
      .option('--from-env <variable>', 'take the secret from this variable')
      .option('--from-file <file>', 'take the secret from this file'),
    { json: 'print {"bytesWritten", "inputEnded", "error"}', quiet: 'print only errors' },
  );

type WriteFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe write`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Writes a line, or stdin, to the input of a process.')
    .addHelpText(
      'after',
      `
Without a text, or with -, stdin is forwarded unchanged. With --eof alone
nothing is written. After -- a text may begin with a dash.

A secret never appears in a command line, where everybody could read it, nor in
a log. Without --from-env and --from-file it is the one that the supervisor of
the process knows by that name; if it knows none, you are asked.

Examples:
  ${name} write repl 'print(1)'
  ${name} write repl --no-newline -- -y
  ${name} write sorter --eof - < words.txt
  ${name} write deploy --secret token --from-env DEPLOY_TOKEN`,
    )
    .action(async (word, text, { secret, ...flags }) => {
      if (secret === undefined) {
        checkSecretFlags(flags);
        return end(await writeInput({ word, text, flags, io }));
      }
      const { sendSecret: writeSecret } = await import('../secret/send-secret.ts');
      end(await writeSecret({ word, text, flags: { ...flags, secret }, io }));
    });
};

/** @throws TroupeError `invalid-option` */
function checkSecretFlags({ fromEnv, fromFile }: Pick<WriteFlags, 'fromEnv' | 'fromFile'>): void {
  if (fromEnv === undefined && fromFile === undefined) return;
  const flag = fromEnv === undefined ? '--from-file' : '--from-env';
  throw new TroupeError({ code: 'invalid-option', message: `${flag} needs --secret.` });
}

type WriteInput = VerbInput<WriteFlags> & {
  readonly word: string;
  readonly text: readonly string[];
};

interface Written {
  readonly bytesWritten: number;
  readonly inputEnded: boolean;
  readonly error: string | null;
}

/** Writes the words of the command line, or stdin, to the input of a process. @returns the exit code. */
export function writeInput(input: WriteInput): Promise<number> {
  const { flags, io } = input;
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const written = await writeAll(input, { state, id });
    if (flags.json === true) printLines(io, JSON.stringify({ id, ...written }));
    else if (flags.quiet !== true && written.error === null)
      printLines(io, describe(written, toProcessName(chosen.view)));
    if (written.error === null) return exitCodes.done;
    if (flags.json !== true) printError(io, `${written.error} ${written.bytesWritten} bytes were written.`);
    return exitCodes.failed;
  });
}

async function writeAll(
  input: WriteInput,
  { state, id }: { readonly state: StateDirectory; readonly id: string },
): Promise<Written> {
  let bytesWritten = 0;
  for await (const data of readInput(input)) {
    const result = await state.write(id, data);
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { bytesWritten, inputEnded: false, error: toSentence(result.error) };
  }
  if (input.flags.eof !== true) return { bytesWritten, inputEnded: false, error: null };
  const ended = await state.endInput(id);
  return { bytesWritten, inputEnded: ended.ok, error: ended.ok ? null : toSentence(ended.error) };
}

/** Yields the words as one line, or else stdin unchanged; nothing for `--eof` alone. */
async function* readInput({ text, flags, io }: WriteInput): AsyncGenerator<Uint8Array> {
  const isStdin = text.length === 1 && text[0] === '-';
  if (text.length > 0 && !isStdin) {
    yield Buffer.from(text.join(' ') + (flags.newline ? '\n' : ''));
    return;
  }
  if (!isStdin && flags.eof === true) return;
  if (io.stdin.isTTY) printNote(io, 'Type the input; Ctrl-D ends it.');
  for await (const chunk of io.stdin) yield Buffer.from(chunk);
}

function describe({ bytesWritten, inputEnded }: Written, name: string): string {
  const bytes = `${bytesWritten} ${bytesWritten === 1 ? 'byte' : 'bytes'}`;
  if (!inputEnded) return `${bytes} written to ${name}.`;
  return bytesWritten === 0
    ? `The input of ${name} is closed.`
    : `${bytes} written to ${name}, and its input is closed.`;
}

function toSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
