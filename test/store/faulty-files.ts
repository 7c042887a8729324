import { type RecordFiles, systemFiles } from '../../src/store/record-files.ts';

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: as the test wants it`), { code });
}

/** The real calls, where `before` is asked first each time: it may throw, or put something else in the way. */
export function interceptFiles(before: (call: keyof RecordFiles, count: number) => void): RecordFiles {
  let count = 0;
  const intercept = <Args extends readonly unknown[], Result>(
    name: keyof RecordFiles,
    call: (...args: Args) => Result,
  ) => {
    return (...args: Args): Result => {
      count += 1;
      before(name, count);
      return call(...args);
    };
  };
  return {
    makeDirectory: intercept('makeDirectory', systemFiles.makeDirectory),
    list: intercept('list', systemFiles.list),
    create: intercept('create', systemFiles.create),
    open: intercept('open', systemFiles.open),
    inspect: intercept('inspect', systemFiles.inspect),
    write: intercept('write', systemFiles.write),
    read: intercept('read', systemFiles.read),
    close: intercept('close', systemFiles.close),
    rename: intercept('rename', systemFiles.rename),
    remove: intercept('remove', systemFiles.remove),
    writtenAt: intercept('writtenAt', systemFiles.writtenAt),
  };
}
