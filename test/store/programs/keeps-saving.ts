import { existsSync } from 'node:fs';
import { createFileRecordStore } from '../../../src/store/file-record-store.ts';
import { type Note, parseNote, toWholeNote } from '../note.ts';

/** Saves a record that is everybody's and some of its own, as long as its parent lives and there is no file `stopped`. */
const [directory = '', name = '', stopped = ''] = process.argv.slice(2);
const store = createFileRecordStore<Note>({ directory, parse: parseNote });
const parent = process.ppid;
for (let at = 1; process.ppid === parent && !existsSync(stopped); at += 1) {
  const record = toWholeNote(name, at);
  store.save('tool_shared', record);
  store.save(`tool_${name}_${at % 5}`, record);
}
