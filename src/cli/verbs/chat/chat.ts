import type { DefineVerb } from '../../verb.ts';

/** Defines `troupe chat`. */
export const define: DefineVerb = (command, { name, io, overrides, end }) => {
  command
    .description('Talks with an agent. Its processes end with the chat; the conversation is saved.')
    .argument('[agent]', 'agents/<agent>.yaml; by default the only one, or "assistant"')
    .option('-r, --resume [id]', 'resume a conversation; by default the last one')
    .addOption(
      command
        .createOption('--background <what>', 'processes that still run at the end of piped input')
        .choices(['wait', 'kill'])
        .default('wait' as const),
    )
    .option('--wait <duration>', 'how long to wait for them: seconds, or 500ms, 30s, 5m', '60')
    .addHelpText(
      'after',
      `
Change settings of the agent for this chat by their path in its file:
  ${name} chat --supervisor.default_timeout=60 --policy.mode=auto

If the input is not a terminal, each of its lines is a message, and requests for
permission are denied.`,
    )
    .action(async (agent, flags) => {
      // Loads the agent runtime, which help and completion do not need.
      const { runChat } = await import('./run-chat.ts');
      end(await runChat({ agent: agent ?? null, ...flags, resume: flags.resume ?? null, overrides, io }));
    });
};
