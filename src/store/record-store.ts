/** A record that cannot be used. It is left in place for inspection. */
export interface DamagedRecord {
  /** The path of the file, or the id. */
  readonly name: string;
  /** A clause: `it is not JSON: …`. */
  readonly why: string;
}

/** A document, or why it cannot be used: `it is not JSON: …`. */
export type RecordReading<Doc> =
  | { readonly ok: true; readonly record: Doc }
  | { readonly ok: false; readonly why: string };

export interface LoadOptions {
  /**
   * Receives the beginning of a record's text, at least 80 bytes if it has that many; records for which it
   * returns `true` are skipped unread, damaged or not. A store may ignore it.
   */
  readonly leaveOut?: (beginning: string) => boolean;
}

/**
 * Stores documents by id. After a crash each is there as last saved or not at all. When two programs save
 * under one id, one wins completely. All calls are synchronous: a crash of this program cannot undo a `save`
 * that has returned.
 *
 * Documents are read as JSON represents them, and share nothing with what was saved. An id has 1 to 64
 * letters, digits, `_` and `-`; every call refuses others with TroupeError `invalid-option`.
 */
export interface RecordStore<Doc> {
  /**
   * Saves a document.
   *
   * @throws the system's error if it could not be written, TypeError for values that JSON cannot represent,
   * TroupeError `invalid-option` beyond 16 MiB; the previous document is then still there.
   */
  save(id: string, record: Doc): void;
  /** Returns `null` if there is no usable document. */
  read(id: string): Doc | null;
  /** Returns the document, or a clause that says why it cannot be used; `null` if there is none. */
  inspect(id: string): RecordReading<Doc> | null;
  /**
   * Returns all usable documents in no particular order, and the damaged ones. A missing directory counts as
   * empty.
   *
   * @throws the system's error if it cannot be listed, which must not look like an empty one.
   */
  load(options?: LoadOptions): {
    readonly records: readonly Doc[];
    readonly damaged: readonly DamagedRecord[];
  };
  /**
   * Removes a document, even a damaged one, if it exists.
   *
   * @throws the system's error if it stays.
   */
  remove(id: string): void;
}
