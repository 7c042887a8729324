import { quote } from '../../config/quote.ts';
import type { Ask, PermissionQuestion } from '../../policy/gate.ts';
import { toMarked } from '../render/margin.ts';
import type { Page } from '../render/page.ts';
import { renderPermissionQuestion } from '../render/permission-question.ts';
import type { Terminal } from './terminal.ts';

/** Asks the person at a terminal, one question at a time. */
export interface Consent {
  readonly ask: Ask;
  readonly isAsking: boolean;
  /** A line that was typed while a question is open. */
  answer(text: string): void;
  /** Shows the question once more, where one is open. */
  repeat(): void;
}

type Answer = 'yes' | 'no' | 'always';

const PROMPT = '  y yes · n no · a always, in this chat › ';
const answers: Readonly<Record<string, Answer>> = {
  y: 'yes',
  yes: 'yes',
  n: 'no',
  no: 'no',
  a: 'always',
  always: 'always',
};

/** `prompt` is what stands before the line when no question is open. */
export function createConsent({
  terminal,
  page,
  prompt,
}: {
  terminal: Terminal;
  page: Page;
  prompt: string;
}): Consent {
  const always = new Set<string>();
  let before: Promise<unknown> = Promise.resolve();
  let open: { readonly question: PermissionQuestion; resolve(answer: Answer | 'late'): void } | null = null;
  /** What was being typed when the first of several questions came. */
  let aside: string | null = null;

  const show = (question: PermissionQuestion) =>
    terminal.show({ rows: ['', ...renderPermissionQuestion(question, page)], openRow: '' });

  const askNow = async (question: PermissionQuestion, signal: AbortSignal): Promise<boolean> => {
    if (signal.aborted) return false;
    if (always.has(toKey(question))) return true;
    show(question);
    const typed = terminal.exchange({ prompt: page.paint('yellow', PROMPT), typed: '' });
    aside ??= typed;
    const answer = await new Promise<Answer | 'late'>((resolve) => {
      open = { question, resolve };
      signal.addEventListener('abort', () => resolve('late'), { once: true });
    });
    open = null;
    terminal.exchange({ prompt, typed: '' });
    terminal.show({ rows: renderDecision(answer, question, page) });
    if (answer === 'always') always.add(toKey(question));
    return answer === 'yes' || answer === 'always';
  };

  const giveBack = () => {
    if (open !== null || aside === null) return;
    terminal.exchange({ prompt, typed: aside });
    aside = null;
  };

  let waiting = 0;
  return {
    ask: (question, signal) => {
      waiting += 1;
      const asked = before.then(() => askNow(question, signal));
      before = asked.finally(() => {
        waiting -= 1;
        if (waiting === 0) giveBack();
      });
      return asked;
    },
    get isAsking() {
      return open !== null;
    },
    answer: (typed) => {
      const answer = answers[typed.trim().toLowerCase()];
      if (answer !== undefined) return open?.resolve(answer);
      const said = typed.trim() === '' ? 'Nothing' : quote(typed.trim());
      const text = `${said} is no answer: type y, n or a.`;
      terminal.show({ rows: toMarked({ voice: 'question', text, style: 'dim' }, page) });
    },
    repeat: () => {
      if (open !== null) show(open.question);
    },
  };
}

function toKey({ tool, permission }: PermissionQuestion): string {
  return `${tool} ${permission}`;
}

function renderDecision(answer: Answer | 'late', { tool }: PermissionQuestion, page: Page): string[] {
  const text = {
    yes: 'Allowed.',
    no: 'Denied.',
    always: `Allowed, and ${tool} is not asked for again in this chat.`,
    late: 'Not answered: denied.',
  }[answer];
  return toMarked({ voice: 'question', text, style: 'dim' }, page);
}
