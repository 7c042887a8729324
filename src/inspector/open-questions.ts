import type { OpenQuestion } from '../live/live-state.ts';
import type { Ask, Consent } from '../policy/authorize.ts';

/** Questions to the person in front of the page. */
export interface OpenQuestions {
  /** Oldest first; another list after each change. */
  readonly list: readonly OpenQuestion[];
  /** Asks a question. Resolves with the answer, or with `false` once the signal is aborted. */
  readonly ask: Ask;
  /** Answers a question. Returns `false` if it no longer waits. */
  answer(id: string, consent: Consent): boolean;
  /** Denies all waiting and all later questions. */
  close(): void;
}

export function createOpenQuestions(onChange: () => void): OpenQuestions {
  const answers = new Map<string, (consent: Consent) => void>();
  let list: readonly OpenQuestion[] = [];
  let isClosed = false;
  let count = 0;
  const set = (next: readonly OpenQuestion[]) => {
    list = next;
    onChange();
  };
  const answer = (id: string, consent: Consent) => {
    const resolve = answers.get(id);
    if (resolve === undefined) return false;
    answers.delete(id);
    set(list.filter((each) => each.id !== id));
    resolve(consent);
    return true;
  };
  return {
    get list() {
      return list;
    },
    ask: (question, signal) => {
      if (isClosed || signal.aborted) return Promise.resolve(false);
      count += 1;
      const id = `question-${count}`;
      const { promise, resolve } = Promise.withResolvers<Consent>();
      answers.set(id, resolve);
      set([...list, { id, at: Date.now(), question }]);
      const leave = () => void answer(id, false);
      signal.addEventListener('abort', leave, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
    answer,
    close: () => {
      isClosed = true;
      for (const { id } of list) answer(id, false);
    },
  };
}
