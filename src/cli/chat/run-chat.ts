import { applyOverrides } from '../../agents/apply-overrides.ts';
import { chooseModel } from '../../agents/choose-model.ts';
import { createAgent } from '../../agents/create-agent.ts';
import { readDepth } from '../../agents/depth.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { createFileJournal } from '../../store/file-journal.ts';
import type { CliIo } from '../cli-io.ts';
import { parseSpan } from '../parse-span.ts';
import { createPage } from '../render/page.ts';
import { chooseAgent } from './choose-agent.ts';
import { createChatId, findKeptConversation, toConversationFile } from './kept-conversations.ts';
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
 * @throws TroupeError where the agent, a setting or the conversation to go on with is not right.
 */
export async function runChat(options: ChatOptions): Promise<number> {
  const { resume, io } = options;
  const directory = io.cwd;
  const waitMs = parseSpan(options.wait, '--wait');
  const kept =
    resume === null
      ? null
      : findKeptConversation({ id: resume === true ? null : resume, agent: options.agent }, directory);
  const choice = await chooseAgent(options.agent ?? kept?.agent ?? null, directory);
  const definition = applyOverrides(choice.definition, options.overrides);
  const { model, notice } = chooseModel(definition, { env: io.env });
  const depth = readDepth({ env: io.env });
  if (!depth.ok) throw new TroupeError({ code: 'invalid-option', message: depth.error });
  const id = kept?.id ?? createChatId(definition.name);
  const page = createPage(io.stdout);

  const talk: Talk = {
    io,
    page,
    opening: renderOpening({ definition, model, remarks: [choice.remark, toKeyRemark(notice)] }, page),
    open: (listener) =>
      createAgent({
        definition,
        id,
        directory,
        model,
        depth: depth.depth,
        maxDepth: depth.maxDepth,
        journal: createFileJournal(toConversationFile(id, directory)),
        ...listener,
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
