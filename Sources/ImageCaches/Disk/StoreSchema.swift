/// The tables that every `index.sqlite` has; modules declare others (``StoreTable``). Times are in seconds since 1970;
/// digests and keys are 64 hexadecimal digits.
enum StoreSchema {
  static let sql = """
    -- The files in objects/. Triggers update `totals`, so that the size is known without a scan.
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

    -- HTTP responses by request key, with a variant for each combination of the fields in `Vary` (RFC 9111 §4.1).
    -- There is no index by digest: thousands of rows are inserted for each rare lookup by digest. The same goes for
    -- outputs. The table has a rowid because rows are long and keys random: new rows are stored next to each other.
    CREATE TABLE responses (
      key TEXT NOT NULL, variant TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL,
      last_used REAL NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (key, variant)
    );

    -- Digests of files outside the store, valid while their fingerprints are unchanged.
    CREATE TABLE fingerprints (
      path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
      inode INTEGER NOT NULL, digest TEXT NOT NULL, checksum TEXT NOT NULL
    ) WITHOUT ROWID;

    -- The output files of runs, by path: the runs that they belong to, and their recipes.
    CREATE TABLE registry (
      path TEXT PRIMARY KEY, manifest TEXT NOT NULL, directory TEXT NOT NULL, template TEXT NOT NULL,
      digest TEXT NOT NULL, key TEXT NOT NULL, recipe TEXT NOT NULL, began REAL NOT NULL, checksum TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX registry_scope ON registry (manifest, directory, template);

    -- Local files that were a source of any run. No run removes them.
    CREATE TABLE sources (path TEXT PRIMARY KEY) WITHOUT ROWID;

    -- The savings so far, by kind of hit.
    CREATE TABLE savings (
      kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL
    ) WITHOUT ROWID;

    -- The secret for hashing credentials, so that no key reveals them.
    CREATE TABLE salt (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL);
    INSERT INTO salt VALUES (1, randomblob(32));
    """
}
