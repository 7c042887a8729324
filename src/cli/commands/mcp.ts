import { collect } from '../flag-values.ts';
import type { McpFlags } from '../mcp/mcp-flags.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
On stdio the server ends with its client, and its processes with it.

An address that other machines can reach wants --allow-remote, and a token in
TROUPE_MCP_TOKEN that clients send as "Authorization: Bearer …".

A secret comes from a variable of this program or from a file, and is read each
time it is used:
  ${name} mcp --secret npm-token=env:NPM_TOKEN --secret db=file:/run/secrets/db`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Serves the Model Context Protocol on stdin and stdout, or by HTTP.')
    .option('--http [host:port]', 'serve by HTTP (127.0.0.1:7433)')
    .option('--allow-remote', 'listen also where other machines can reach it')
    .option(
      '--tools <sets>',
      'which tools are offered: process, background_process, bg, process_action, or several with commas between them',
      'process',
    )
    .addOption(
      command
        .createOption('--policy-mode <mode>', 'what clients may do without a person being asked')
        .choices(['default', 'auto', 'dangerous', 'plan', 'ci'])
        .default('auto'),
    )
    .option(
      '--secret <name=source>',
      'a secret that a model can have typed by its name; can be repeated',
      collect,
    )
    .option('--cwd <directory>', "where commands run (the client's first root, or here)")
    .option('--state-dir <directory>', 'where records and logs are kept (the nearest .troupe upwards)')
    .option('--max-background <count>', 'how many processes may run in the background at once (10)')
    .option('--max-background-time <duration>', 'how long each of them may run')
    .option('--owner <name>', 'whose processes the client sees, in later sessions too (this session alone)')
    .addHelpText('after', toMore(name))
    .action(async (flags: McpFlags) => {
      const { serveMcp } = await import('../mcp/serve-mcp.ts');
      end(await serveMcp({ flags, io }));
    });
};
