import { type ChatModel, createConversation, createSupervisor } from '../../src/index.ts';
import { readInput } from '../fresh.ts';

/** `ends` processes of an agent end in one second while its model speaks; that, `floods` times. */
const { ends, floods } = readInput<{ ends: number; floods: number }>();

let speaking = Promise.withResolvers<void>();
let calls = 0;
const model: ChatModel = {
  name: 'slow at first',
  async *stream({ messages }) {
    calls += 1;
    if (messages.at(-1)?.role === 'user') await speaking.promise;
    yield { type: 'text', text: 'I see.' };
  },
};

const supervisor = createSupervisor({
  stateDirectory: false,
  maxBackgroundProcesses: 2 * ends,
  maxFinished: ends,
});
const told = new Map<string, number>();
const conversation = createConversation({
  supervisor,
  model,
  policy: { mode: 'auto' },
  maxMessages: 20,
  onEvent: (event) => {
    if (event.type !== 'message.recorded' || event.message.role !== 'notice') return;
    for (const id of event.message.completionIds) told.set(id, (told.get(id) ?? 0) + 1);
  },
});

const flood = async () => {
  speaking = Promise.withResolvers<void>();
  const callsBefore = calls;
  const stops: (() => void)[] = [];
  for (let count = 0; count < ends; count += 1) {
    supervisor.start({
      run: () => new Promise<void>((resolve) => void stops.push(resolve)),
      background: true,
      owner: conversation.id,
    });
  }
  const said = conversation.say('go');
  let announced = 0;
  const all = new Promise<void>((resolve) => {
    const subscription = supervisor.completions$.subscribe(() => {
      announced += 1;
      if (announced < ends) return;
      subscription.unsubscribe();
      resolve();
    });
  });
  const startMs = performance.now();
  while (stops.length > 0) {
    const due = Math.min(ends, Math.ceil((ends * (performance.now() - startMs)) / 1_000));
    while (ends - stops.length < due) stops.pop()?.();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await all;
  const tookMs = performance.now() - startMs;
  speaking.resolve();
  await said;
  await conversation.idle();
  globalThis.gc?.();
  return { tookMs, passes: calls - callsBefore - 1, heap: process.memoryUsage().heapUsed };
};

const results = [];
for (let count = 0; count < floods; count += 1) results.push(await flood());
await conversation.close();
await supervisor.shutdown();
console.log(
  JSON.stringify({
    results,
    told: told.size,
    twice: [...told.values()].filter((count) => count > 1).length,
  }),
);
