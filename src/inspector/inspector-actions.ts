import { z } from 'zod';
import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { requestParams } from '../control/request-params.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { type InspectedProcesses, toSameCommand } from './inspected-processes.ts';
import type { OpenQuestions } from './open-questions.ts';

const { kill, signal, pause, resume, restart, background, changeLimits } = requestParams;
const { write, endInput, sendKeys, paste, resize } = requestParams;
const id = z.string().min(1).max(200);

/** Schemas of the orders that a page can send. Orders to processes are named as in the control protocol. */
const orders = {
  ...{ kill, signal, pause, resume, restart, background, changeLimits },
  ...{ write, endInput, sendKeys, paste, resize },
  /** Starts the command of an ended process once more. */
  startAgain: z.strictObject({ id }),
  say: z.strictObject({ id, text: z.string().min(1) }),
  interrupt: z.strictObject({ id }),
  /** Answers a question; its id is that of the question. */
  answer: z.strictObject({ id, consent: z.union([z.boolean(), z.literal('always')]) }),
} as const;

type OrderName = keyof typeof orders;
type OrderOf<Name extends OrderName> = z.output<(typeof orders)[Name]>;
type Actions = { readonly [Name in OrderName]: (order: OrderOf<Name>) => Promise<unknown> };

/** Carries out an order of a page. Resolves with the answer as plain data. */
export type Act = (order: { readonly method: string; readonly params: unknown }) => Promise<unknown>;

/** Parts of a program that a page can steer. */
export interface ActionDeps {
  readonly processes: InspectedProcesses;
  readonly questions: OpenQuestions;
  findConversation(id: string): Conversation | undefined;
}

/**
 * Creates the function that carries out the orders of a page. It rejects with TroupeError `protocol` for an unknown order, `invalid-option`
 * for wrong parameters, `not-found`, and with the errors of the calls themselves.
 */
export function createActions(deps: ActionDeps): Act {
  const { processes, questions } = deps;
  const find = (name: string): Conversation => {
    const conversation = deps.findConversation(name);
    if (conversation !== undefined) return conversation;
    const message = `Conversation ${quote(name)} does not run in this program, so it cannot be spoken to from here.`;
    throw new TroupeError({ code: 'not-found', message });
  };
  const actions: Actions = {
    kill: (order) => processes.kill(order.id, order.options as Parameters<InspectedProcesses['kill']>[1]),
    signal: (order) => processes.signal(order.id, order.options),
    pause: (order) => processes.pause(order.id),
    resume: (order) => processes.resume(order.id),
    write: (order) => processes.write(order.id, Buffer.from(order.data, 'base64')),
    endInput: (order) => processes.endInput(order.id),
    sendKeys: ({ id: process, order }) => processes.sendKeys(process, order),
    paste: (order) => processes.paste(order.id, order.text),
    resize: (order) => processes.resize(order.id, order.size),
    restart: (order) => processes.restart(order.id),
    background: (order) => processes.background(order.id),
    changeLimits: (order) => processes.changeLimits(order.id, order.changes),
    startAgain: async (order) => {
      const { view } = await processes.show(order.id);
      return { id: await processes.start(toSameCommand(view)) };
    },
    say: async ({ id: name, text }) => {
      const said = find(name).say(text);
      // A refusal comes at once. The outcome is that of the whole turn, which the transcript shows.
      await Promise.race([said, new Promise(setImmediate)]);
      said.catch(() => {});
      return true;
    },
    interrupt: (order) => find(order.id).interrupt(),
    answer: async (order) => questions.answer(order.id, order.consent),
  };
  return async ({ method, params }) => {
    if (!Object.hasOwn(orders, method)) {
      const message = `There is no order ${quote(method.slice(0, 100))}. Known: ${Object.keys(orders).join(', ')}.`;
      throw new TroupeError({ code: 'protocol', message });
    }
    const name = method as OrderName;
    const order = parseOptions(orders[name], { input: params ?? {}, name });
    return (actions[name] as (parsed: unknown) => Promise<unknown>)(order);
  };
}
