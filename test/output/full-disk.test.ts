import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createDiskFullRecorder, diskFullDegradation, readFreeBytes } from '../../src/output/full-disk.ts';
import { tempDir } from '../support/os.ts';

describe('a full disk', () => {
  const mark = '\n[troupe: the disk was full here: output that the process could not write may be missing]\n';
  const arrange = (directory: string) => {
    const [logPath, statusPath] = [`${directory}/log`, `${directory}/status`];
    const textOf = (path: string) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return '';
      }
    };
    const recorder = createDiskFullRecorder({ logPath, statusPath });
    return { recorder, texts: () => [textOf(logPath), textOf(statusPath)] };
  };

  test('is recorded at once, and in the log when there is room', () => {
    using place = tempDir();
    const { recorder, texts } = arrange(place.path);

    recorder.observe({ freeBytes: 4_096, logBytes: 5 });
    expect(texts()).toEqual(['', '']);
    recorder.observe({ freeBytes: 4_095, logBytes: 7 });
    recorder.observe({ freeBytes: 0, logBytes: 9 });
    expect(texts()).toEqual(['', '\nfull 7\n']);
    recorder.observe({ freeBytes: 4_096, logBytes: 9 });
    recorder.observe({ freeBytes: 9_999, logBytes: 9 });

    expect(texts()).toEqual([mark, '\nfull 7\n']);
  });

  test('is recorded each time', () => {
    using place = tempDir();
    const { recorder, texts } = arrange(place.path);

    for (const logBytes of [7, 20]) {
      recorder.observe({ freeBytes: 0, logBytes });
      recorder.observe({ freeBytes: 9_999, logBytes });
    }

    expect(texts()).toEqual([mark + mark, '\nfull 7\n\nfull 20\n']);
  });

  test('is told as a degradation of unknown size', () => {
    expect(diskFullDegradation).toEqual({
      what: 'the disk was full',
      error: 'output that the process could not write may be missing; the amount is unknown',
      missingBytes: 0,
    });
  });

  test('is not assumed where the system does not say', () => {
    using place = tempDir();

    expect(readFreeBytes(`${place.path}/log`)).toBeGreaterThan(0);
    expect(readFreeBytes('/no/such/directory/log')).toBe(Number.POSITIVE_INFINITY);
  });
});
