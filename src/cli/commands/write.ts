import { TroupeError } from '../../config/troupe-error.ts';
import type { WriteFlags } from '../processes/write-input.ts';
import type { SecretFlags } from '../secret/write-secret.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
Without a text, or with -, stdin is passed on as it is. With --eof alone nothing
is written. Behind -- a text may begin with a dash.

A secret stands in no command line, where everybody could read it. Without
--from-env and --from-file it is the one that the supervisor of the process
knows by that name; where it knows none, you are asked. It shows in no log.

Examples:
  ${name} write repl 'print(1)'
  ${name} write repl --no-newline -- -y
  ${name} write sorter --eof - < words.txt
  ${name} write deploy --secret token --from-env DEPLOY_TOKEN`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Writes a line, or what stands on stdin, to the input of a process.')
      .argument('<id>', idHelp)
      .argument('[text...]', 'words of one line')
      .option('--no-newline', 'write the text without the end of a line')
      .option('--eof', 'then end its input')
      .option('--secret <name>', 'write a secret, and Enter')
      .option('--from-env <variable>', 'the secret is the value of this variable')
      .option('--from-file <file>', 'the secret stands in this file'),
    { json: 'print {"bytesWritten", "inputEnded", "error"}', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, text: readonly string[], flags: WriteFlags & Partial<SecretFlags>) => {
      const { secret, ...others } = flags;
      if (secret !== undefined) {
        const { writeSecret } = await import('../secret/write-secret.ts');
        return end(await writeSecret({ word, text, flags: { ...others, secret }, io }));
      }
      checkSecretFlags(others);
      const { writeInput } = await import('../processes/write-input.ts');
      end(await writeInput({ word, text, flags, io }));
    });
};

/** @throws TroupeError `invalid-option` */
function checkSecretFlags({ fromEnv, fromFile }: Partial<SecretFlags>): void {
  if (fromEnv === undefined && fromFile === undefined) return;
  const flag = fromEnv === undefined ? '--from-file' : '--from-env';
  throw new TroupeError({ code: 'invalid-option', message: `${flag} has no --secret that it belongs to.` });
}
