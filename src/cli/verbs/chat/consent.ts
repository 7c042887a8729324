import { quote } from '../../../config/quote.ts';
import type { AskSecret, SecretQuestion } from '../../../config/secret-source.ts';
import type { Ask, PermissionQuestion } from '../../../policy/authorize.ts';
import { toMarked } from '../../render/margin.ts';
import type { Page } from '../../render/page.ts';
import { renderPermissionQuestion } from '../../render/permission-question.ts';
import { toPrintable } from '../../render/printable.ts';
import type { Terminal } from './chat-terminal.ts';

/** Asks the person at a terminal, one question at a time. */
export interface Consent {
  readonly ask: Ask;
  /** Asks for a secret, which is not shown. */
  readonly askSecret: AskSecret;
  readonly isAsking: boolean;
  /** Receives a line that was typed while a question is open. */
  answer(text: string): void;
  /** Shows the open question again, if there is one. */
  repeat(): void;
}

type Answer = 'yes' | 'no' | 'always';

const PROMPT = '  y yes · n no › ';
const PROMPT_WITH_ALWAYS = '  y yes · n no · a always, in this chat › ';
const SECRET_PROMPT = '  typing is hidden; Ctrl-C cancels › ';
const answers: Readonly<Record<string, Answer>> = {
  y: 'yes',
  yes: 'yes',
  n: 'no',
  no: 'no',
  a: 'always',
  always: 'always',
};

/** Creates the consent of a terminal. `prompt` is shown while no question is open. */
export function createConsent({
  terminal,
  page,
  prompt,
}: {
  terminal: Terminal;
  page: Page;
  prompt: string;
}): Consent {
  let before: Promise<unknown> = Promise.resolve();
  let open: { readonly question: PermissionQuestion; resolve(answer: Answer | 'late'): void } | null = null;
  /** Text that was being typed when the first of several questions came. */
  let interrupted: string | null = null;

  const show = (question: PermissionQuestion) =>
    terminal.show({ rows: ['', ...renderPermissionQuestion(question, page)], openRow: '' });

  const askNow = async (question: PermissionQuestion, signal: AbortSignal): Promise<boolean | 'always'> => {
    if (signal.aborted) return false;
    show(question);
    const choices = question.always === null ? PROMPT : PROMPT_WITH_ALWAYS;
    const typed = terminal.exchange({ prompt: page.paint('yellow', choices), typed: '' });
    interrupted ??= typed;
    const answer = await new Promise<Answer | 'late'>((resolve) => {
      open = { question, resolve };
      signal.addEventListener('abort', () => resolve('late'), { once: true });
    });
    open = null;
    terminal.exchange({ prompt, typed: '' });
    terminal.show({ rows: renderDecision(answer, question, page) });
    return answer === 'always' ? answer : answer === 'yes';
  };

  const restoreTyped = () => {
    if (open !== null || interrupted === null) return;
    terminal.exchange({ prompt, typed: interrupted });
    interrupted = null;
  };

  const askSecretNow = async (question: SecretQuestion, signal: AbortSignal): Promise<string | null> => {
    if (signal.aborted) return null;
    terminal.show({ rows: ['', ...renderSecretQuestion(question, page)], openRow: '' });
    if (terminal.readHidden === null) {
      terminal.show({ rows: remark('Not given: this terminal cannot hide what is typed.', page) });
      return null;
    }
    const typed = terminal.exchange({ prompt: page.paint('yellow', SECRET_PROMPT), typed: '' });
    interrupted ??= typed;
    const secret = await terminal.readHidden(signal);
    terminal.exchange({ prompt, typed: '' });
    const isGiven = secret !== null && secret !== '';
    terminal.show({ rows: remark(isGiven ? 'Given.' : 'Not given.', page) });
    return isGiven ? secret : null;
  };

  let waiting = 0;
  /** Asks one question at a time, and restores the typed text after the last. */
  const inTurn = <T>(askIt: () => Promise<T>): Promise<T> => {
    waiting += 1;
    const asked = before.then(askIt);
    before = asked.finally(() => {
      waiting -= 1;
      if (waiting === 0) restoreTyped();
    });
    return asked;
  };

  return {
    ask: (question, signal) => inTurn(() => askNow(question, signal)),
    askSecret: (question, signal) => inTurn(() => askSecretNow(question, signal)),
    get isAsking() {
      return open !== null;
    },
    answer: (typed) => {
      const answer = answers[typed.trim().toLowerCase()];
      const hasAlways = open?.question.always !== null;
      if (answer !== undefined && (answer !== 'always' || hasAlways)) return open?.resolve(answer);
      const shown = typed.trim() === '' ? 'Nothing' : quote(typed.trim());
      const choices = hasAlways ? 'type y, n or a' : 'type y or n';
      terminal.show({ rows: remark(`${shown} is not an answer: ${choices}.`, page) });
    },
    repeat: () => {
      if (open !== null) show(open.question);
    },
  };
}

function renderDecision(
  answer: Answer | 'late',
  { agent, always }: PermissionQuestion,
  page: Page,
): string[] {
  const text = {
    yes: 'Allowed.',
    no: 'Denied.',
    always: toPrintable(`Allowed, and from now on for ${agent} in this chat: ${always?.join(' · ')}`),
    late: 'Not answered: denied.',
  }[answer];
  return remark(text, page);
}

function renderSecretQuestion({ ask, name, processId, commandLine }: SecretQuestion, page: Page): string[] {
  const about = `The secret ${quote(name)}, for process ${processId}: ${toPrintable(commandLine)}`;
  return [
    ...toMarked({ voice: 'question', text: toPrintable(ask), style: 'bold' }, page),
    ...toMarked({ voice: 'question', text: about, style: 'dim' }, page),
  ];
}

function remark(text: string, page: Page): string[] {
  return toMarked({ voice: 'question', text, style: 'dim' }, page);
}
