import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restartScope } from '../../src/groups/restart-scope.ts';
import { startOrder } from '../../src/groups/start-order.ts';

test.each([
  ['oneForOne', []],
  ['oneForAll', ['a', 'c', 'd']],
  ['restForOne', ['c', 'd']],
] as const)('%s restarts exactly %j with b', (strategy, others) => {
  const order = ['a', 'b', 'c', 'd'];

  const scope = restartScope(strategy, { order, terminated: 'b' });

  expect(scope).toEqual(others);
});

test('each starts after all that it depends on', () => {
  const graph = fc
    .integer({ min: 1, max: 8 })
    .chain((count) =>
      fc.tuple(
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1))),
      ),
    );

  fc.assert(
    fc.property(graph, ([given, pairs]) => {
      // An arrow from the greater to the smaller number cannot close a circle.
      const needed = (node: number) => pairs.flatMap(([a, b]) => (a === node && b < a ? [`p${b}`] : []));
      const dependencies = new Map(given.map((node) => [`p${node}`, needed(node)]));

      const order = startOrder(dependencies);

      expect([...order].sort()).toEqual([...dependencies.keys()].sort());
      for (const [name, each] of dependencies)
        for (const one of each) expect(order.indexOf(one)).toBeLessThan(order.indexOf(name));
    }),
  );
});

test('independent members keep their order', () => {
  const order = startOrder(
    new Map([
      ['web', ['api']],
      ['mail', []],
      ['api', []],
      ['cron', []],
    ]),
  );

  expect(order).toEqual(['mail', 'api', 'web', 'cron']);
});

test('an unknown dependency is refused with the nearest name', () => {
  const start = () =>
    startOrder(
      new Map([
        ['web', ['databse']],
        ['database', []],
      ]),
    );

  expect(start).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message:
        'startGroup: "processes.web.dependsOn" names "databse"; there is no such process. Did you mean "database"?',
    }),
  );
});

test('a circle is refused by the names in it', () => {
  const start = () =>
    startOrder(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['d', 'b']],
        ['d', []],
      ]),
    );
  const alone = () => startOrder(new Map([['a', ['a']]]));

  const refusal = (cycle: string) =>
    expect.objectContaining({
      code: 'invalid-option',
      message: `startGroup: "dependsOn" leads back to where it began: ${cycle}. One of them must not wait for the next.`,
    });
  expect(start).toThrow(refusal('b → c → b'));
  expect(alone).toThrow(refusal('a → a'));
});

test('an unknown dependency without a similar name lists the known ones', () => {
  const start = () =>
    startOrder(
      new Map([
        ['web', ['queue-of-mails']],
        ['database', []],
      ]),
    );

  expect(start).toThrow(
    'startGroup: "processes.web.dependsOn" names "queue-of-mails"; there is no such process. Known processes: web, database.',
  );
});
