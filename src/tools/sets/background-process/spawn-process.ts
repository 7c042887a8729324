import type { CommandRequest } from '../../actions/command-request.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { runInForeground } from '../../actions/run-in-foreground.ts';
import { startInBackground } from '../../actions/start-in-background.ts';
import { toReadData } from '../../output-data.ts';
import { toSummary } from '../../process-summary.ts';
import { toRunData } from '../../run-data.ts';
import { toStartedData } from '../../started-data.ts';
import type { ToolAnswer, ToolContext } from '../../tool.ts';

interface SpawnInput {
  readonly command: string;
  readonly workdir: string | undefined;
  readonly wait: boolean;
  readonly interactive: boolean;
  readonly label: string | undefined;
  readonly lifetime: CommandRequest['lifetime'];
  readonly timeout_seconds: number;
  readonly tool: string;
}

/** Starts a command, and waits for its end if that is wished and it needs no input. */
export async function spawnProcess(input: SpawnInput, context: ToolContext): Promise<ToolAnswer> {
  const { command, workdir: cwd, label, tool, lifetime, interactive } = input;
  const maxRunMs = input.timeout_seconds * 1_000;
  if (!input.wait || interactive) {
    const started = await startInBackground(
      { command, cwd, label, tool, lifetime, interactive, maxRunMs },
      context,
    );
    return toAnswer(started, toStartedData);
  }
  const ran = await runInForeground({ command, cwd, label, tool, lifetime, maxRunMs }, context);
  return toAnswer(ran, (result) => ({
    ...toSummary(result.view),
    ...(result.type === 'ended'
      ? toRunData(result.view.id, result.facts)
      : { message: result.message, ...toReadData(result.read) }),
  }));
}
