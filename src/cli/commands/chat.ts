import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
Settings of the agent are changed for this chat by their path in its file:
  ${name} chat --supervisor.default_timeout=60 --policy.mode=auto

Where the input is no terminal, each line of it is a message, and there is
nobody to ask for consent.`;

export const define: DefineVerb = (command, { name, io, overrides, end }) => {
  command
    .description('Talks with an agent. Its processes end with the chat; the conversation is kept.')
    .argument('[agent]', 'agents/<agent>.yaml; by default the only one, or "assistant"')
    .option('-r, --resume [id]', 'go on with a conversation; by default with the last one')
    .addOption(
      command
        .createOption('--background <what>', 'processes that still run at the end of piped input')
        .choices(['wait', 'kill'])
        .default('wait'),
    )
    .option('--wait <duration>', 'how long they are waited for: seconds, or 500ms, 30s, 5m', '60')
    .addHelpText('after', toMore(name))
    .action(async (agent: string | undefined, flags: ChatFlags) => {
      const { runChat } = await import('../chat/run-chat.ts');
      end(await runChat({ agent: agent ?? null, ...flags, resume: flags.resume ?? null, overrides, io }));
    });
};

interface ChatFlags {
  /** `true`: the last one. */
  readonly resume?: string | true;
  readonly background: 'wait' | 'kill';
  readonly wait: string;
}
