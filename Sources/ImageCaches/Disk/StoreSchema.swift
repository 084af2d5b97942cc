/// The tables of `index.sqlite` that every store has; modules declare others (``StoreTable``). Times are seconds since 1970; digests and keys are 64 hexadecimal digits.
enum StoreSchema {
  static let sql = """
    -- What lies in objects/. `totals` follows it by triggers, so that the size is known without a scan.
    CREATE TABLE objects (
      digest TEXT PRIMARY KEY, bytes INTEGER NOT NULL, last_used REAL NOT NULL, kind INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX objects_purge_order ON objects (kind DESC, last_used);
    CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL, objects INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0);
    CREATE TRIGGER objects_added AFTER INSERT ON objects BEGIN
      UPDATE totals SET bytes = bytes + NEW.bytes, objects = objects + 1;
    END;
    CREATE TRIGGER objects_removed AFTER DELETE ON objects BEGIN
      UPDATE totals SET bytes = bytes - OLD.bytes, objects = objects - 1;
    END;
    CREATE TRIGGER objects_resized AFTER UPDATE OF bytes ON objects BEGIN
      UPDATE totals SET bytes = bytes - OLD.bytes + NEW.bytes;
    END;

    -- Answers have no index by digest: they come by the thousand, and are looked for by it once in a while, for many at
    -- once. The same is true of outputs.

    -- HTTP answers by request key, with a variant for each combination of the fields that they vary by (RFC 9111 §4.1).
    -- With a rowid: its rows are long and its keys random, and so new rows come to lie beside each other.
    CREATE TABLE responses (
      key TEXT NOT NULL, variant TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL,
      last_used REAL NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (key, variant)
    );

    -- Digests of files outside the store, as long as their stamps stay as they were.
    CREATE TABLE stamps (
      path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
      inode INTEGER NOT NULL, digest TEXT NOT NULL, seal TEXT NOT NULL
    ) WITHOUT ROWID;

    -- The files that runs have put in place, by path: which runs they belong to and what they were made from.
    CREATE TABLE ledger (
      path TEXT PRIMARY KEY, manifest TEXT NOT NULL, directory TEXT NOT NULL, template TEXT NOT NULL,
      digest TEXT NOT NULL, key TEXT NOT NULL, recipe TEXT NOT NULL, began REAL NOT NULL, seal TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX ledger_scope ON ledger (manifest, directory, template);

    -- Local files that were a source of any run: no run removes them.
    CREATE TABLE sources (path TEXT PRIMARY KEY) WITHOUT ROWID;

    -- What the cache has spared so far, by kind of hit.
    CREATE TABLE savings (
      kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL
    ) WITHOUT ROWID;

    -- What credentials are hashed with, so that no key tells anything about them.
    CREATE TABLE salt (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL);
    INSERT INTO salt VALUES (1, randomblob(32));
    """
}
