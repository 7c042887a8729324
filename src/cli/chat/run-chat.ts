import { applyOverrides } from '../../agents/agent-definition.ts';
import { chooseModel } from '../../agents/choose-model.ts';
import { createAgent } from '../../agents/create-agent.ts';
import type { CliIo } from '../cli-io.ts';
import { toProgramName } from '../cli-io.ts';
import { readDelegationLimits } from '../delegation-limits.ts';
import { parseDuration } from '../flag-values.ts';
import { createPage } from '../render/page.ts';
import { findAgentStateDirectory } from '../with-state.ts';
import { chooseAgent } from './choose-agent.ts';
import { createChatId, findKeptConversation, toConversationFile } from './kept-conversations.ts';
import { openJournal, openNewJournal } from './open-journal.ts';
import { renderOpening } from './opening.ts';
import type { Talk } from './talk.ts';
import { talkAtTerminal } from './talk-at-terminal.ts';
import { talkThroughPipe } from './talk-through-pipe.ts';

export interface ChatOptions {
  readonly agent: string | null;
  /** The id of the conversation to go on with; `true`: the last one; `null`: a new one. */
  readonly resume: string | true | null;
  readonly overrides: readonly string[];
  /** At the end of piped input. */
  readonly background: 'wait' | 'kill';
  readonly wait: string;
  readonly io: CliIo;
}

/**
 * Talks with an agent until a person or the input ends it. @returns the exit code.
 *
 * @throws TroupeError where the agent, a setting or the conversation to go on with is not right; the system's error where it cannot be opened.
 */
export async function runChat(options: ChatOptions): Promise<number> {
  const { resume, io } = options;
  const directory = io.cwd;
  const program = toProgramName(io.env);
  const waitMs = parseDuration(options.wait, '--wait');
  const kept =
    resume === null
      ? null
      : findKeptConversation(
          { id: resume === true ? null : resume, agent: options.agent },
          { directory, program },
        );
  const choice = await chooseAgent(options.agent ?? kept?.agent ?? null, { directory, program });
  const definition = applyOverrides(choice.definition, options.overrides);
  const surroundings = readDelegationLimits(definition, { env: io.env });
  const { model, notice } = chooseModel(definition, { env: io.env });
  const id = kept?.id ?? createChatId(definition.name);
  const file = toConversationFile(id, directory);
  const { journal, remark } = kept === null ? openNewJournal(file) : openJournal(file);
  let isKept = journal !== null;
  const page = createPage(io.stdout);
  const remarks = [choice.remark, toKeyRemark(notice), remark];

  const talk: Talk = {
    io,
    page,
    opening: renderOpening({ definition, model, remarks }, page),
    howToGoOn: () => (isKept ? `Kept as ${id}. Go on with it: ${program} chat --resume` : null),
    open: ({ onEvent, ...listener }) =>
      createAgent({
        definition,
        id,
        directory,
        model,
        ...surroundings,
        host: { stateDirectory: findAgentStateDirectory(io) },
        ...(journal !== null && { journal }),
        ...listener,
        onEvent: (event) => {
          if (event.type === 'journal.failed') isKept = false;
          if (event.type === 'journal.recovered') isKept = true;
          onEvent?.(event);
        },
      }),
  };
  return io.stdin.isTTY && io.stdout.isTTY
    ? talkAtTerminal(talk)
    : talkThroughPipe(talk, { background: options.background, waitMs });
}

/** Where no key is set, other endpoints may be what the person wants. */
function toKeyRemark(notice: string | null): string | null {
  return notice?.includes('OPENAI_API_KEY') ? `${notice} OPENAI_BASE_URL leads to another endpoint.` : notice;
}
