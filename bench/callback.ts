import { type ChatModel, createConversation, createSupervisor } from '../src/index.ts';
import { createToolHost } from '../src/tools/tool-host.ts';
import { type Answer, judge, print } from './answer.ts';
import { startCat, timeRawExit } from './cat.ts';
import { alternate, find, formatNumber, formatSpread, timeMs } from './rounds.ts';

const CALLS = 2_000;

/** An idle agent whose model answers at once, and who tells when it is called. */
function createAgent() {
  const supervisor = createSupervisor({ stateDirectory: false });
  let called = () => {};
  const model: ChatModel = {
    name: 'instant',
    async *stream({ messages }) {
      if (messages.at(-1)?.role === 'notice') called();
      yield { type: 'text', text: 'I see.' };
    },
  };
  const conversation = createConversation({ supervisor, model, policy: { mode: 'auto' } });
  const timeWake = async () => {
    const handle = await startCat(supervisor, { background: true, owner: conversation.id });
    const woken = new Promise<void>((resolve) => {
      called = resolve;
    });
    const ms = await timeMs(() => {
      void handle.endInput();
      return woken;
    });
    await conversation.idle();
    return ms;
  };
  return { supervisor, conversation, timeWake };
}

/** Microseconds for one answer about a live process: straight from its handle, and as the tool that a model calls. */
async function compareChecks() {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const handle = supervisor.start({ command: ['sleep', '1000'], background: true, owner: 'bench' });
  await using host = createToolHost({ supervisor, owner: 'bench', policy: { mode: 'auto' } });
  const call = { name: 'check_process', input: { process_id: handle.id } };
  const perCall = async (step: () => unknown) => {
    const ms = await timeMs(async () => {
      for (let count = 0; count < CALLS; count += 1) await step();
    });
    return (ms * 1_000) / CALLS;
  };
  return alternate(
    [
      { name: 'view', run: () => perCall(() => JSON.stringify(handle.view())) },
      { name: 'tool', run: () => perCall(() => host.call(call)) },
    ],
    { rounds: 9 },
  );
}

export async function answerCallback(): Promise<Answer> {
  const { supervisor, conversation, timeWake } = createAgent();
  const ends = await alternate(
    [
      { name: 'raw', run: timeRawExit },
      { name: 'troupe', run: timeWake },
    ],
    { rounds: 100, warmUps: 30 },
  );
  await conversation.close();
  await supervisor.shutdown();
  const checks = await compareChecks();
  const [raw, wake, tool] = [find(ends, 'raw'), find(ends, 'troupe'), find(checks, 'tool')];
  const overRaw = wake.median - raw.median;
  return {
    question: 'How soon does an agent know?',
    measured:
      'From the end of its input to the exit of `cat`, and to the call of an idle agent’s model with the notice in its transcript; and what ' +
      `an answer about a live process costs, the mean of ${CALLS} calls.`,
    columns: ['what', 'with', 'cost'],
    rows: [
      { cells: ['an end', 'node:child_process, `exit`', `${formatSpread(raw)} ms`] },
      {
        cells: ['an end', 'troupe, the model is called', `${formatSpread(wake)} ms`],
        ...judge(`< 5 ms over raw (${formatNumber(overRaw)})`, overRaw < 5),
      },
      { cells: ['an answer', '`view()` as JSON', `${formatSpread(find(checks, 'view'))} µs`] },
      {
        cells: ['an answer', 'tool `check_process`', `${formatSpread(tool)} µs`],
        goal: { text: '< 200 µs', isMet: tool.median < 200 },
      },
    ],
  };
}

if (import.meta.main) print(await answerCallback());
