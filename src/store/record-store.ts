/** A record that cannot be used. It stays where it is, so that somebody can look at it. */
export interface DamagedRecord {
  /** What a person would look for: the file's path, or the id. */
  readonly name: string;
  /** A clause: `it is no JSON: …`. */
  readonly why: string;
}

export interface LoadOptions {
  /**
   * Told the beginning of a record's text, at least 80 bytes where it has them; what this is `true` of is left out unread, damaged or not.
   * A store may also take no notice.
   */
  readonly leaveOut?: (beginning: string) => boolean;
}

/**
 * Documents by id, each there as it was last saved or not at all, wherever a crash falls. Whoever saves under one id at the same
 * time as another program wins or loses as a whole. All calls are synchronous: what `save` returned from, a crash of
 * this program cannot undo.
 *
 * What is read is what JSON makes of what was saved, and shares nothing with it. An id is 1 to 64 letters, digits, `_` and
 * `-`; every call refuses another one with TroupeError `invalid-option`.
 */
export interface RecordStore<Doc> {
  /**
   * @throws what the system says when it could not be written, TypeError for what cannot be JSON, TroupeError `invalid-option` for more
   * than 16 MiB; then the one before is still there.
   */
  save(id: string, record: Doc): void;
  /** `null` where there is none, or none that can be used. */
  read(id: string): Doc | null;
  /**
   * All that can be used, in no order, and those that cannot. A directory that is not there is an empty one.
   *
   * @throws what the system says when it cannot be listed: that must not look like an empty one.
   */
  load(options?: LoadOptions): {
    readonly records: readonly Doc[];
    readonly damaged: readonly DamagedRecord[];
  };
  /** One that is not there is no mistake, a damaged one goes as well. @throws what the system says when it stays. */
  remove(id: string): void;
}
