import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface WriteFlags extends StateFlags {
  /** `false`: the text as it is, without the end of a line. */
  readonly newline: boolean;
  readonly eof?: boolean;
}

type WriteScene = VerbInput<WriteFlags> & {
  readonly word: string;
  readonly text: readonly string[];
};

interface Written {
  readonly bytesWritten: number;
  readonly inputEnded: boolean;
  readonly error: string | null;
}

/** Writes to the stdin of a process what the command line or our own stdin says. @returns the exit code. */
export function writeInput(scene: WriteScene): Promise<number> {
  const { flags, io } = scene;
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const written = await writeAll(scene, { state, id });
    if (flags.json === true) printLines(io, JSON.stringify({ id, ...written }));
    else if (flags.quiet !== true && written.error === null)
      printLines(io, describe(written, toProcessName(chosen.view)));
    if (written.error === null) return exitCodes.done;
    if (flags.json !== true) printError(io, `${written.error} ${written.bytesWritten} bytes went in.`);
    return exitCodes.failed;
  });
}

async function writeAll(
  scene: WriteScene,
  { state, id }: { readonly state: StateDirectory; readonly id: string },
): Promise<Written> {
  let bytesWritten = 0;
  for await (const data of readInput(scene)) {
    const result = await state.write(id, data);
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { bytesWritten, inputEnded: false, error: toSentence(result.error) };
  }
  if (scene.flags.eof !== true) return { bytesWritten, inputEnded: false, error: null };
  const ended = await state.endInput(id);
  return { bytesWritten, inputEnded: ended.ok, error: ended.ok ? null : toSentence(ended.error) };
}

/** Words are one line; without any, our own stdin byte by byte. To end its input there need be nothing to write. */
async function* readInput({ text, flags, io }: WriteScene): AsyncGenerator<Uint8Array> {
  const isStdin = text.length === 1 && text[0] === '-';
  if (text.length > 0 && !isStdin) {
    yield Buffer.from(text.join(' ') + (flags.newline ? '\n' : ''));
    return;
  }
  if (!isStdin && flags.eof === true) return;
  if (io.stdin.isTTY) printNote(io, 'type what is to be written; Ctrl-D ends it.');
  for await (const chunk of io.stdin) yield Buffer.from(chunk);
}

function describe({ bytesWritten, inputEnded }: Written, name: string): string {
  const bytes = `${bytesWritten} ${bytesWritten === 1 ? 'byte' : 'bytes'}`;
  if (!inputEnded) return `${bytes} written to ${name}.`;
  return bytesWritten === 0
    ? `The input of ${name} has ended.`
    : `${bytes} written to ${name}, and its input has ended.`;
}

function toSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
