import { expect, test } from 'vitest';
import { type ContentPart, describeContent } from '../../../src/tools/foreign/describe-content.ts';

const image = { type: 'file', mediaType: 'image/png' };

test.each<[string, ContentPart, string]>([
  ['a file that is text', { type: 'file', data: { type: 'text', text: 'the text' } }, 'the text'],
  ['text that is no text', { type: 'text', text: 7 }, '[text; its content is not shown]'],
  ['bytes', { ...image, data: new ArrayBuffer(5) }, '[file, image/png, 5 bytes; its content is not shown]'],
  [
    'bytes in an object',
    { ...image, data: { type: 'data', data: 'AAAA' } },
    '[file, image/png, 3 bytes; its content is not shown]',
  ],
  ['a URL', { type: 'image-url', url: 'https://a.example/b' }, '[image url, https://a.example/b]'],
  [
    'a URL that is an object',
    { type: 'file_url', url: new URL('https://a.example/b') },
    '[file url, https://a.example/b]',
  ],
  [
    'a file without a name',
    { ...image, filename: '', name: 'a.png' },
    '[file, a.png, image/png; its content is not shown]',
  ],
  [
    'a link with a description',
    { type: 'resource_link', uri: 'file:///a', description: 'the first' },
    '[resource link, file:///a, the first]',
  ],
  [
    'a resource without a URI',
    { type: 'resource', resource: { blob: 'AAAA' } },
    '[resource without a URI, 3 bytes; its content is not shown]',
  ],
])('describeContent describes %s', (_, part, words) => {
  expect(describeContent([part])).toBe(words);
});
