import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { confirmRecorded, neutraliseMarkup, toAnswerText, toPlainAnswer } from '../tools/answer-text.ts';
import { callToolWith, describeUnknownTool } from '../tools/call-tool.ts';
import type { Tool, ToolAnswer } from '../tools/tool.ts';
import { createClientQuestion } from './ask-client.ts';
import { createCallProgress } from './call-progress.ts';
import type { McpClient } from './mcp-client.ts';
import { watchCall } from './watch-call.ts';

/**
 * Makes one call of a tool. A failure of the call is an answer; an unknown tool is an error of the protocol.
 * A client that cancels the call, or disconnects, ends only the waiting.
 */
export async function answerCall(
  { params }: CallToolRequest,
  {
    client,
    server,
    era,
    context,
  }: { client: McpClient; server: Server; era: 'legacy' | 'modern'; context: ServerContext },
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: input = {} } = params;
  const tool = client.tools.find((each) => each.name === name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name, client.tools));
  }

  const found = await client.findPlace(context, { server, era });
  if (found.type === 'asked') return found.result;
  const { signal } = context.mcpReq;
  const progress = waits(tool, input) ? toProgress(context, client) : null;
  const question = createClientQuestion(context, server);
  const call = client.processes.notices.openCall();
  try {
    const ours = await client.processes.supervisor(found.place);
    const supervisor = watchCall(ours.supervisor, {
      onLook: (handle) => {
        call.look(handle.id);
        progress?.follow(handle);
      },
      check: () => throwIfClosed(client),
    });
    const { tools, grants } = client;
    const policy = client.policyOf(supervisor);
    const answer = await callToolWith(
      { id: String(context.mcpReq.id), name, input },
      {
        tools,
        policy,
        grants,
        owner: ours.owner,
        agent: found.place.name ?? ours.owner,
        supervisor,
        ask: question.ask,
        interrupt: signal,
        signal: client.closed,
        // A notice comes with an answer and wakes no model: a model that relied on it would wait forever.
        notices: 'next-answer',
      },
    );
    const needed = question.toInputRequired();
    if (needed !== null || signal.aborted) {
      call.dropped();
      return needed ?? toResult(answer, null);
    }
    confirmRecorded(answer);
    return toResult(answer, call.answered(answer.reveals ?? []));
  } catch (error) {
    call.dropped();
    return toResult({ ok: false, error: toErrorText(error) }, null);
  } finally {
    progress?.stop();
  }
}

function waits(tool: Tool, input: unknown): boolean {
  const prepared = tool.prepare(input);
  return prepared.ok && (prepared.intent.waits === true || prepared.intent.permission === 'start');
}

function toProgress({ mcpReq }: ServerContext, { timing, onError }: McpClient) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  return createCallProgress(
    (report) => {
      const params = { progressToken, ...report };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(onError);
    },
    { everyMs: timing.growth },
  );
}

/** Returns the answer as data, and as text for clients that show nothing else. */
function toResult(answer: ToolAnswer, notice: string | null): CallToolResult {
  const isPlain = !answer.ok && answer.data === undefined;
  const text = isPlain ? neutraliseMarkup(answer.error) : toAnswerText(answer);
  const said = toPlainAnswer(answer);
  return {
    content: [text, ...(notice === null ? [] : [notice])].map((each) => ({ type: 'text', text: each })),
    structuredContent: { ...said, ...(notice !== null && { notice }) },
    ...(!answer.ok && { isError: true }),
  };
}

function throwIfClosed({ closed }: McpClient): void {
  if (!closed.aborted) return;
  const message = 'The client has disconnected; nothing more is started for it.';
  throw new TroupeError({ code: 'shutting-down', message });
}
