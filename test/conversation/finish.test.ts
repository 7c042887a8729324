import { expect, test } from 'vitest';
import { ModelError } from '../../src/models/model-error.ts';
import { arrange, nextEvent, startServer } from './arrange.ts';

test('a conversation without processes finishes at once', async () => {
  await using given = arrange({ steps: [{ text: 'all done' }] });
  await given.conversation.say('go');

  const outcome = await given.conversation.finish({ background: 'wait' });

  expect(outcome).toEqual({ type: 'answered', text: 'all done' });
  expect(given.conversation.status).toBe('done');
});

test('a conversation without a turn has no outcome', async () => {
  await using given = arrange({ steps: [] });

  expect(await given.conversation.finish({ background: 'kill' })).toBeNull();
});

test('finishing waits for an end and tells it', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'it has ended well' }] });
  await given.conversation.say('serve');

  const finished = given.conversation.finish({ background: 'wait' });
  const statusMeanwhile = given.conversation.status;
  given.backend.lastRun.exit();

  expect(await finished).toEqual({ type: 'answered', text: 'it has ended well' });
  expect(statusMeanwhile).toBe('waiting');
  expect(given.notices()).toHaveLength(1);
});

test('finishing waits no longer than it was told', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  await given.conversation.say('serve');

  const finished = given.conversation.finish({ background: 'wait', wait: '5s' });
  given.clock.advance(4_999);
  const statusBefore = given.conversation.status;
  given.clock.advance(1);

  expect(await finished).toEqual({ type: 'answered', text: 'started' });
  expect(statusBefore).toBe('waiting');
  expect(given.supervisor.list()[0]).toMatchObject({ status: 'killed', reason: { by: 'owner' } });
});

test('finishing with kill ends what still runs', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  await given.conversation.say('serve');

  const finished = given.conversation.finish({ background: 'kill' });
  given.clock.advance(0);
  await finished;

  expect(given.supervisor.list()[0]).toMatchObject({ status: 'killed', reason: { by: 'owner' } });
});

test('a turn is never cut off by finishing', async () => {
  await using given = arrange({ steps: [{ text: 'my last words' }] });
  const said = given.conversation.say('go');

  const finished = given.conversation.finish({ background: 'kill' });
  given.clock.advance(0);

  expect(await Promise.all([said, finished])).toEqual([
    { type: 'answered', text: 'my last words' },
    { type: 'answered', text: 'my last words' },
  ]);
});

test.for([
  ['killed', undefined],
  ['backgrounded', 'conv_parent'],
] as const)('a process for the parent is %s', async ([status, parent]) => {
  await using given = arrange({
    steps: [{ text: 'hello' }],
    ...(parent !== undefined && { more: { parent } }),
  });
  const { id: owner } = given.conversation;
  const { id } = given.supervisor.start({ command: 'serve', owner, background: true, lifetime: 'parent' });
  const session = given.supervisor.start({ command: 'other', owner, background: true });

  await given.conversation.close();

  expect(given.supervisor.get(id)?.view()).toMatchObject({ status, owner: parent ?? owner });
  expect(session.view()).toMatchObject({ status: 'killed' });
});

test('a new owner gets the notice of a process that has already ended', async () => {
  await using given = arrange({ steps: [{ text: 'I see' }] });
  const { conversation, supervisor } = given;
  const handle = supervisor.start({ command: 'serve', owner: 'conv_child', background: true });
  given.backend.lastRun.exit({ code: 1 });
  await handle.ended;

  supervisor.transfer(handle.id, conversation.id);
  const outcome = await conversation.finish({ background: 'wait' });

  expect(outcome).toEqual({ type: 'answered', text: 'I see' });
  expect(given.notices()[0]?.text).toContain(`${handle.id} failed`);
});

test('an end that cannot be brought about breaks it', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  const broken = arrange({
    steps: [startServer, { text: 'started' }],
    more: { supervisor: { ...given.supervisor, kill: () => Promise.reject(new Error('no more')) } },
  });
  const ended = nextEvent(broken, 'turn.ended');
  await broken.conversation.say('serve');
  await ended;

  await broken.conversation.close();

  expect(broken.conversation.status).toBe('failed');
  expect(await broken.conversation.say('anybody?')).toEqual({ type: 'closed' });
});

test('finishing after the end and before its news tells it', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'it has failed' }] });
  await given.conversation.say('serve');
  const handle = given.supervisor.get(given.supervisor.list()[0]?.id ?? '');
  const finished = new Promise<unknown>((resolve) => {
    // The status changes some time before the completion is published.
    handle?.status$.subscribe((status) => {
      if (status === 'failed') resolve(given.conversation.finish({ background: 'wait' }));
    });
  });

  given.backend.lastRun.exit({ code: 3 });

  expect(await finished).toEqual({ type: 'answered', text: 'it has failed' });
  expect(given.notices()).toHaveLength(1);
});

test('no turn begins after the time to finish in', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'one more' }] });
  await given.conversation.say('serve');
  const finished = given.conversation.finish({ background: 'wait', wait: '1s' });

  given.conversation.events$.subscribe((event) => {
    if (event.type === 'turn.started') given.clock.advance(1_000);
    if (event.type === 'turn.ended') given.conversation.notify(news(3));
  });
  given.conversation.notify(news(1));
  await finished;

  expect(given.turns()).toBe(2);
  expect(given.conversation.status).toBe('done');
});

test('finishing waits for a model that a person waits for', async () => {
  await using given = arrange({ steps: [busy, { text: 'at last' }] });
  const failed = nextEvent(given, 'model.failed');
  const said = given.conversation.say('go');
  await failed;

  const finished = given.conversation.finish({ background: 'kill' });
  given.clock.advance(0);
  const statusBefore = given.conversation.status;
  given.clock.advance(1_000);

  expect(await Promise.all([said, finished])).toEqual([
    { type: 'answered', text: 'at last' },
    { type: 'answered', text: 'at last' },
  ]);
  expect(statusBefore).toBe('waiting');
});

test('finishing waits for a model that is away no longer than told', async () => {
  await using given = arrange({ steps: [{ text: 'done' }, ...Array.from({ length: 9 }, () => busy)] });
  given.clock.advance(0);
  await given.conversation.say('go');
  const failed = nextEvent(given, 'model.failed');
  given.conversation.notify(news(1));
  await failed;

  const finished = given.conversation.finish({ background: 'wait', wait: '900ms' });
  given.clock.advance(899);
  const statusBefore = given.conversation.status;
  given.clock.advance(1);

  expect(await finished).toEqual({ type: 'failed', error: 'Busy.' });
  expect(statusBefore).toBe('waiting');
});

const busy = new ModelError({ failure: 'unavailable', message: 'Busy.' });

function news(number: number) {
  return { id: `news/${number}`, source: 'a test', text: `number ${number}` };
}
