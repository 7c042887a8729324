import { expect, test } from 'vitest';
import { createInspector } from '../../src/inspector/create-inspector.ts';
import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import { openInspector, origin, token } from './arrange.ts';

test('the link becomes a cookie that scripts cannot read, and loses its token', async () => {
  await using stage = openInspector();

  const response = await stage.open();

  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/');
  expect(response.headers.get('set-cookie')).toMatch(/^troupe_\w+=\S+; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect((await stage.request('/api/about')).status).toBe(200);
});

test('a request without the token is denied, for every path', async () => {
  await using stage = openInspector();

  for (const path of ['/', '/main.js', '/api/about', '/api/snapshot', '/api/output?id=x']) {
    const response = await stage.request(path);
    expect([path, response.status]).toEqual([path, 401]);
    expect(await response.text()).toContain('Open the link');
  }
  expect((await stage.request(`/?token=${token.slice(1)}x`)).status).toBe(401);
});

test('a DNS name of another site is refused, even with the token', async () => {
  await using stage = openInspector();
  await stage.open();

  const response = await stage.request('/api/snapshot', {}, 'http://rebound.example:7434');

  expect(response.status).toBe(421);
  expect(await response.text()).toContain('rebound.example');
});

test('requests of other pages are refused, even with the cookie', async () => {
  await using stage = openInspector();
  await stage.open();
  const handle = stage.start('web');
  const others = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];

  for (const headers of others) {
    expect((await stage.request('/api/snapshot', { headers })).status).toBe(403);
    const body = JSON.stringify({ method: 'kill', params: { id: handle.id } });
    const init = { method: 'POST', body, headers: { 'content-type': 'text/plain', ...headers } };
    expect((await stage.request('/api/act', init)).status).toBe(403);
  }
  expect('endedAt' in handle.view()).toBe(false);
});

test('an order is refused as a form, which pages of other sites can send', async () => {
  await using stage = openInspector();
  await stage.open();

  const response = await stage.request('/api/act', {
    method: 'POST',
    body: '{"method":"kill","params":{"id":"x"}}',
    headers: { 'content-type': 'text/plain', origin },
  });

  expect(response.status).toBe(415);
});

test('a page is named by "hosts", and authorized by the program around it with a token of null', async () => {
  await using stage = openInspector({ token: null, hosts: ['troupe.example'], path: '/inspector' });

  const { status } = await stage.request('/inspector/api/about', {}, 'https://troupe.example');

  expect(status).toBe(200);
  expect((await stage.request('/inspector', {}, 'https://troupe.example')).headers.get('location')).toBe(
    'https://troupe.example/inspector/',
  );
  expect((await stage.request('/other', {}, 'https://troupe.example')).status).toBe(404);
});

test('no file outside the page is served', async () => {
  await using stage = openInspector();
  await stage.open();

  for (const path of [
    '/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '/chunks/..%2f..%2fmain.js',
    '/api',
  ]) {
    expect([path, (await stage.request(path)).status]).toEqual([path, 404]);
  }
});

test('a short token and a relative path are refused', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });

  expect(() => createInspector({ supervisor, token: 'short' })).toThrow('"token" has 5 characters');
  expect(() => createInspector({ supervisor, path: 'ui' })).toThrow('"path" is "ui"');
  await supervisor.shutdown();
});
