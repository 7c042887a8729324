import { chooseModel } from '../../../agents/choose-model.ts';
import { createAgent } from '../../../agents/create-agent.ts';
import { listAgents, loadAgent } from '../../../agents/load-agent.ts';
import { applyOverrides, parseAgentFile } from '../../../agents/parse-agent-file.ts';
import type { AgentDefinition } from '../../../config/agent-file-schema.ts';
import { readRemoteVariables } from '../../../config/remote-options.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { type CliIo, toProgramName } from '../../cli-io.ts';
import { toDefaultAgentText } from '../../default-agent.ts';
import { readDelegationLimits } from '../../delegation-limits.ts';
import { parseDuration } from '../../flag-values.ts';
import { createPage } from '../../render/page.ts';
import { findAgentStateDirectory } from '../../with-state.ts';
import type { ChatSession } from './chat-session.ts';
import { renderOpening } from './messages.ts';
import {
  createChatId,
  findSavedConversation,
  openJournal,
  openNewJournal,
  toConversationFile,
} from './saved-conversations.ts';
import { talkAtTerminal } from './talk-at-terminal.ts';
import { talkThroughPipe } from './talk-through-pipe.ts';

export interface ChatOptions {
  readonly agent: string | null;
  /** The id of the conversation to resume; `true`: the last one; `null`: a new one. */
  readonly resume: string | true | null;
  readonly overrides: readonly string[];
  /** Treatment of running processes at the end of piped input. */
  readonly background: 'wait' | 'kill';
  readonly wait: string;
  readonly io: CliIo;
}

/**
 * Talks with an agent until the user or the end of input ends it. @returns the exit code.
 *
 * @throws TroupeError for an invalid agent, setting or conversation; the system's error if the conversation cannot be opened.
 */
export async function runChat(options: ChatOptions): Promise<number> {
  const { resume, io } = options;
  const directory = io.cwd;
  const program = toProgramName(io.env);
  const waitMs = parseDuration(options.wait, '--wait');
  const saved =
    resume === null
      ? null
      : findSavedConversation(
          { id: resume === true ? null : resume, agent: options.agent },
          { directory, program },
        );
  const choice = await chooseAgent(options.agent ?? saved?.agent ?? null, { directory, program });
  const definition = applyOverrides(choice.definition, options.overrides);
  const limits = readDelegationLimits(definition, { env: io.env });
  const { model, notice } = chooseModel(definition, { env: io.env });
  const id = saved?.id ?? createChatId(definition.name);
  const file = toConversationFile(id, directory);
  const { journal, remark } = saved === null ? openNewJournal(file) : openJournal(file);
  let isSaved = journal !== null;
  const page = createPage(io.stdout);
  const remarks = [choice.remark, toKeyRemark(notice), remark];

  const session: ChatSession = {
    io,
    page,
    opening: renderOpening({ definition, model, remarks }, page),
    howToResume: () => (isSaved ? `Saved as ${id}. Resume it: ${program} chat --resume` : null),
    open: ({ onEvent, ...listener }) =>
      createAgent({
        definition,
        id,
        directory,
        model,
        ...limits,
        host: { stateDirectory: findAgentStateDirectory(io), ...readRemoteVariables(io.env) },
        ...(journal !== null && { journal }),
        ...listener,
        onEvent: (event) => {
          if (event.type === 'journal.failed') isSaved = false;
          if (event.type === 'journal.recovered') isSaved = true;
          onEvent?.(event);
        },
      }),
  };
  return io.stdin.isTTY && io.stdout.isTTY
    ? talkAtTerminal(session)
    : talkThroughPipe(session, { background: options.background, waitMs });
}

/** Mentions other endpoints if no key is set. */
function toKeyRemark(notice: string | null): string | null {
  return notice?.includes('OPENAI_API_KEY') ? `${notice} OPENAI_BASE_URL names another endpoint.` : notice;
}

const DEFAULT_NAME = 'assistant';

interface AgentChoice {
  readonly definition: AgentDefinition;
  /** Says that the built-in agent was chosen; `null` otherwise. */
  readonly remark: string | null;
}

/**
 * Loads the agent with that name. Without a name: the only agent, or `assistant`, or the built-in agent in a project without agents.
 *
 * @throws TroupeError `unknown-agent`, `invalid-agent-file`
 */
async function chooseAgent(
  name: string | null,
  { directory, program }: { readonly directory: string; readonly program: string },
): Promise<AgentChoice> {
  if (name !== null) return { definition: await loadAgent(name, { directory }), remark: null };
  const names = (await listAgents(directory)).map((agent) => agent.name);
  if (names.length === 0) {
    const remark = `There is no agents/ directory here: this is the built-in agent. "${program} init" creates one of your own.`;
    const text = toDefaultAgentText(program);
    return { definition: await parseAgentFile(text, { file: 'the built-in agent' }), remark };
  }
  const [only = DEFAULT_NAME] = names;
  if (names.length === 1 || names.includes(DEFAULT_NAME)) {
    const chosen = names.length === 1 ? only : DEFAULT_NAME;
    return { definition: await loadAgent(chosen, { directory }), remark: null };
  }
  throw new TroupeError({
    code: 'unknown-agent',
    message: `There are several agents, and none is called ${DEFAULT_NAME}. Name one: ${program} chat <agent>. The agents are: ${names.join(', ')}.`,
  });
}
