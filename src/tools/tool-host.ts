import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import { toolHostOptions } from '../config/tool-host-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Mailbox, MailboxReader, Notice } from '../mailbox/mailbox.ts';
import { type Ask, decideCall, type PermissionQuestion } from '../policy/authorize.ts';
import { createGrants, type Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import { toPolicy } from '../policy/to-policy.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { createRandomId } from '../process/process-id.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { confirmRecorded, toAnswerText } from './answer-text.ts';
import { callTool, checkCall, type ToolRequest } from './call-tool.ts';
import { offerTools } from './offer-tools.ts';
import { type ProcessesInUse, trackProcesses } from './processes-in-use.ts';
import type { NoticeDelivery, Tool, ToolAnswer } from './tool.ts';
import { processTools } from './tool-sets.ts';
import { createWorkingDirectory } from './working-directory.ts';

/** Options of `createToolHost`. Only `supervisor` is required. */
export interface ToolHostOptions {
  /** Runs the processes of the calls. The host neither creates nor shuts it down. */
  readonly supervisor: Supervisor;
  /**
   * Owner of the processes and of the mailbox, such as the id of a chat. A later host with the same owner receives what was not confirmed,
   * also after a restart of the program if the supervisor has a state directory. Default: a random id.
   */
  readonly owner?: string | undefined;
  /** The tools to offer, except those that the policy denies altogether. Default: the set `process`. */
  readonly tools?: readonly Tool[] | undefined;
  /** Decides what calls may do; options make a policy for the directory of the supervisor, closed with the host. Default: mode `default`. */
  readonly policy?: Policy | PolicyOptions | undefined;
  /** Asks a person for consent where the policy does not decide. Default `null`: what needs consent is denied, unless the call brings it. */
  readonly ask?: Ask | null | undefined;
  /** Permissions that a person granted with `'always'`; share them between hosts of the same person. Default: none yet. */
  readonly grants?: Grants | undefined;
  /** Agent named in questions. Default: the owner. */
  readonly agent?: string | undefined;
  /** Way by which notices reach the model; descriptions and answers of tools name it. Default `next-step`. */
  readonly notices?: NoticeDelivery | undefined;
  /** Reads the mailbox in a way of its own: memory that persists it, attention, changes. Default: memory of the supervisor. */
  readonly mailbox?: MailboxReader | undefined;
  /** Clock for the time-outs of tools. Default: the machine's monotonic clock. */
  readonly clock?: Clock | undefined;
}

/** Decision about a call before it is made. */
export type ToolDecision =
  | { readonly type: 'allow' }
  /** A person decides: `question` says what would happen, `always` what a permanent consent would cover. */
  | { readonly type: 'ask'; readonly question: PermissionQuestion }
  /** `reason` is a sentence for the model: what was refused, by which rule, what to do instead. */
  | { readonly type: 'deny'; readonly reason: string };

/** Options of one call. */
export interface ToolCallOptions {
  /** Aborted when the caller stops waiting: the call answers with its progress, and a command that it waits for continues in the background. */
  readonly signal?: AbortSignal | undefined;
  /** The same for calls that only wait, such as `wait_for`: aborted when something else needs attention. */
  readonly waitSignal?: AbortSignal | undefined;
  /** Aborted when no answer is needed any more; its reason, an Error, becomes the answer. */
  readonly abandonSignal?: AbortSignal | undefined;
  /**
   * Asks a person in the place of the host's `ask`. Where `decide` was used and the person has answered already: `async () => true`. It is
   * called for what `decide` would ask, never for what the policy denies.
   */
  readonly ask?: Ask | null | undefined;
  /** Called for each process that the call starts or looks up. */
  readonly onProcess?: ((handle: ProcessHandle) => void) | undefined;
}

/** A call that was answered. */
export interface AnsweredCall {
  readonly answer: ToolAnswer;
  /** The answer as JSON text for a transcript, in which nothing resembles a notice. */
  readonly text: string;
  /**
   * Confirms that the answer is in the transcript: the ends that it shows are not told again, and its output counts as read. Needed
   * only by a loop that knows it earlier: an answer that was neither recorded nor dropped counts as recorded at the next `take`, its
   * output as read at the next `call`; or as dropped if its `signal` was aborted.
   */
  recorded(): void;
  /** Says that the model will never see the answer: the ends that it shows come as a notice. */
  dropped(): void;
}

/**
 * The tools and the mailbox of one owner, for a loop of any kind. A loop passes `tools` to its model in its dialect, makes each
 * call with `call`, and puts the notice of `take` into the transcript before each request to the model.
 */
export interface ToolHost extends AsyncDisposable {
  readonly owner: string;
  readonly supervisor: Supervisor;
  /** The offered tools. Convert them with `toOpenAiTools`, `toAnthropicTools`, `toGeminiTools` or `toMcpTools`. */
  readonly tools: readonly Tool[];
  /** Decides about a call without making it. An invalid call is allowed: its answer tells the model what is wrong. Never rejects. */
  decide(request: ToolRequest): Promise<ToolDecision>;
  /** Makes a call. Never rejects: failures, refusals and invalid calls are answers. */
  call(request: ToolRequest, options?: ToolCallOptions): Promise<AnsweredCall>;
  /**
   * Returns a notice of everything that waits, or `null`: at a safe point, when all answers of a step are in the transcript. It leaves
   * out processes that a running call is about to answer. What `delivered` does not confirm comes again.
   */
  take(): Notice | null;
  /** Confirms the entries of a notice that is in the transcript. They never come again. */
  delivered(ids: readonly string[]): void;
  /** Emits when something waits that is worth a turn, on subscription too. `take` may still return `null`. Completes with the supervisor. */
  readonly due$: Observable<void>;
  /**
   * Refuses further calls and abandons running ones. Processes continue; what waits stays for the next host of this owner. Resolves when
   * a policy that the host has made is closed.
   */
  close(): Promise<void>;
}

/** A host with what our own loops need beside it. */
export interface OpenedToolHost extends ToolHost {
  /** Opened when it is first used; until then nothing is lost, and the reader hears nothing. */
  readonly mailbox: Mailbox;
  /** Returns whether a running call is about to answer for this process. */
  isInUse(processId: string): boolean;
}

/** @throws TroupeError `invalid-option` */
export function createToolHost(options: ToolHostOptions): ToolHost {
  parseOptions(toolHostOptions, { input: options, name: 'createToolHost' });
  const { mailbox: _, isInUse: __, ...host } = openToolHost({ ...options, mailbox: () => options.mailbox });
  return host;
}

/** Opens a host for a loop of this package. */
export function openToolHost(
  options: Omit<ToolHostOptions, 'mailbox'> & { readonly mailbox: () => MailboxReader | undefined },
): OpenedToolHost {
  const { supervisor, owner = `agent_${createRandomId()}`, notices = 'next-step' } = options;
  const { policy, release } = toPolicy(options.policy, { workspace: supervisor.cwd });
  const { agent, ask = null, grants = createGrants(), clock = createRealClock() } = options;
  const tools = offerTools(options.tools ?? processTools, policy, { notices });
  let opened: Mailbox | null = null;
  const openMailbox = () => {
    opened ??= supervisor.mailbox(owner, options.mailbox());
    return opened;
  };
  const inUse = trackProcesses();
  const directory = createWorkingDirectory(supervisor.cwd);
  const answers = createOpenAnswers((ids) => openMailbox().delivered(ids));
  const closing = new AbortController();

  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= closeNow();
    return closed;
  };
  const closeNow = () => {
    answers.settle();
    closing.abort(new Error('The tools were closed before there was an answer.'));
    opened?.close();
    return release();
  };

  return {
    ...{ owner, supervisor, tools, close, [Symbol.asyncDispose]: close },
    get mailbox() {
      return openMailbox();
    },
    isInUse: (processId) => inUse.has(processId),
    decide: async (request) => {
      const checked = checkCall(request, { tools, supervisor, owner, agent, directory });
      if (!checked.ok) return { type: 'allow' };
      const decision = await decideCall(checked.permission, { policy, grants });
      return decision.type === 'ask' ? { type: 'ask', question: decision.question } : decision;
    },
    call: async (request, { signal, waitSignal, abandonSignal, onProcess, ...more } = {}) => {
      answers.confirmRead();
      const use = inUse.open();
      const answer = await callTool(request, {
        ...{ tools, owner, directory, policy, grants, agent, notices, clock },
        supervisor: watchUse(supervisor, { use, onProcess, closed: closing.signal }),
        ask: more.ask === undefined ? ask : more.ask,
        interrupt: signal ?? never,
        interruptWait: waitSignal,
        abandon:
          abandonSignal === undefined ? closing.signal : AbortSignal.any([closing.signal, abandonSignal]),
      });
      return answers.add(answer, { signal, onSettled: use.close });
    },
    take: () => {
      answers.settle();
      return openMailbox().take({ except: (processId) => inUse.has(processId) });
    },
    delivered: (ids) => openMailbox().delivered(ids),
    get due$() {
      return openMailbox().due$;
    },
  };
}

const never = new AbortController().signal;

/** The answers of which nobody has said yet whether the model will see them. */
function createOpenAnswers(deliver: (ids: readonly string[]) => void) {
  const open = new Set<{
    readonly isAborted: () => boolean;
    readonly call: AnsweredCall;
    readonly confirm: () => void;
  }>();

  return {
    add: (
      answer: ToolAnswer,
      { signal, onSettled }: { readonly signal: AbortSignal | undefined; readonly onSettled: () => void },
    ): AnsweredCall => {
      let isRead = false;
      const confirm = () => {
        if (!isRead) confirmRecorded(answer);
        isRead = true;
      };
      const settle = () => {
        onSettled();
        return open.delete(entry);
      };
      const call: AnsweredCall = {
        answer,
        text: toAnswerText(answer),
        recorded: () => {
          if (!settle()) return;
          deliver(answer.reveals ?? []);
          confirm();
        },
        dropped: () => void settle(),
      };
      const entry = { call, confirm, isAborted: () => signal?.aborted === true };
      open.add(entry);
      return call;
    },
    settle: () => {
      for (const { call, isAborted } of [...open]) {
        if (isAborted()) call.dropped();
        else call.recorded();
      }
    },
    /** Counts the output that they show as read: the loop made another call after them. */
    confirmRead: () => {
      for (const { confirm, isAborted } of open) if (!isAborted()) confirm();
    },
  };
}

/** Wraps the supervisor for one call: notes each process that the call uses, and starts nothing once the host is closed. */
function watchUse(
  supervisor: Supervisor,
  {
    use,
    onProcess = () => {},
    closed,
  }: {
    readonly use: ReturnType<ProcessesInUse['open']>;
    readonly onProcess: ToolCallOptions['onProcess'];
    readonly closed: AbortSignal;
  },
): Supervisor {
  const note = (handle: ProcessHandle) => {
    use.add(handle.id);
    onProcess(handle);
    return handle;
  };
  return {
    ...supervisor,
    start: (spec) => {
      if (closed.aborted) {
        const message = 'The tools of this agent were closed; nothing more is started for it.';
        throw new TroupeError({ code: 'shutting-down', message });
      }
      return note(supervisor.start(spec));
    },
    get: (id) => {
      const handle = supervisor.get(id);
      return handle === undefined ? undefined : note(handle);
    },
  };
}
