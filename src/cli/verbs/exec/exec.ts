import type { DefineVerb } from '../../verb.ts';

/** Defines `troupe exec`. */
export const define: DefineVerb = (command, { name, io, overrides, end }) => {
  command
    .description(
      'Gives an agent one task, without a person to ask, and prints its answer. Its processes end with it.',
    )
    .argument('<agent>', 'agents/<agent>.yaml')
    .option('-t, --task <text>', 'what to do; - reads it from stdin')
    .option('--context <json>', 'what it should know besides the task: one JSON object')
    .option('--depth <n>', 'how many agents stand above it; TROUPE_DEPTH counts if it is larger')
    .option(
      '--max-depth <n>',
      'at this depth no agent is started (5); TROUPE_MAX_DEPTH counts if it is smaller',
    )
    .addOption(
      command
        .createOption('-o, --output <format>', 'how to print the answer')
        .choices(['text', 'json'])
        .default('text' as const),
    )
    .option('--json', 'the same as --output json')
    .option('--timeout <duration>', 'how long it may take; "none": no limit (300s)')
    .addOption(
      command
        .createOption('--background <what>', 'processes that still run when it has answered (wait)')
        .choices(['wait', 'kill']),
    )
    .option('--wait <duration>', 'how long to wait for them (60s)')
    .addHelpText(
      'after',
      `
Without --task, or with --task -, the task is read from stdin: text, or
{"task": "…", "context": {…}}.

Only the answer to the task goes to stdout. Remarks that the agent makes later,
when one of its background processes has ended, go to stderr.

With --json, stdout is one object: {"ok": true, "data": "…"}, with "remarks":
["…"] if there are any, or {"ok": false, "error": "…"}. Whenever ok is false,
the exit code is 1. If a call of the agent was denied, it is 3, and the object
has "denied": [{"tool": "…", "reason": "…"}].

Change settings of the agent by their path in its file:
  ${name} exec assistant --task "…" --limits.max_steps=10`,
    )
    .action(async (agent, { json, ...flags }) => {
      // It loads the agent runtime, which help and completion can do without.
      const { runExec } = await import('./run-exec.ts');
      end(await runExec({ agent, ...flags, ...(json === true && { output: 'json' }), overrides, io }));
    });
};
