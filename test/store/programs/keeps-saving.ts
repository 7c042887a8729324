import { createFileRecordStore } from '../../../src/store/file-record-store.ts';
import { type Note, parseNote, toWholeNote } from '../note.ts';

/** Saves a record that is everybody's and some of its own, `rounds` times or as long as its parent lives. */
const [directory = '', name = '', rounds = '0'] = process.argv.slice(2);
const store = createFileRecordStore<Note>({ directory, parse: parseNote });
const parent = process.ppid;
for (let at = 1; at <= Number(rounds) && process.ppid === parent; at += 1) {
  const record = toWholeNote(name, at);
  store.save('tool_shared', record);
  store.save(`tool_${name}_${at % 5}`, record);
}
