/// What `imagemill doctor` finds: what a bug report should begin with.
struct Diagnosis: Encodable {
  /// Something that is not as it should be, and what to do about it.
  struct Finding: Encodable {
    /// Whether imagemill can't do its work because of it.
    var isBroken: Bool
    var problem: String
    var remedy: String
  }

  struct System: Encodable {
    /// As in `/etc/os-release`.
    var name: String
    var kernel: String
    var architecture: String
  }

  struct Pixels: Encodable {
    var version: String
    /// The shared libraries that decode and encode, by the names of their files.
    var libraries: [String]
  }

  struct Transfers: Encodable {
    var version: String
    var tls: String?
    var http2: Bool
    var encodings: [String]
    var protocols: [String]
    /// Where certificate authorities are looked for, by libcurl's own default.
    var certificates: [String]
  }

  struct Formats: Encodable {
    var read: [String]
    var readOnRequest: [String]
    var written: [String]
    /// Those that this libvips can't read or write, as `read jxl`.
    var missing: [String]
  }

  struct Processors: Encodable {
    /// By the scheduler's affinity.
    var online: Int
    /// The control group's quota, in CPUs.
    var quota: Double?
    /// Rendering slots, unless --jobs says otherwise.
    var slots: Int
  }

  struct Memory: Encodable {
    var installed: Int
    /// The control group's limit.
    var limit: Int?
    /// For all workers together, unless --memory says otherwise.
    var rendering: Int
  }

  struct OpenFileLimit: Encodable {
    var now: Int
    var most: Int
  }

  struct Cache: Encodable {
    var directory: String
    var exists: Bool
    var writable: Bool
    var bytes: Int?
    var objects: Int?
    var capacity: Int
    var free: Int?
    /// `sound`, `absent`, or what is wrong with it.
    var index: String
  }

  struct Temporary: Encodable {
    var directory: String
    var writable: Bool
    var free: Int?
  }

  var imagemill: String
  var system: System
  var libvips: Pixels
  var libcurl: Transfers
  var formats: Formats
  var processors: Processors
  var memory: Memory
  var openFiles: OpenFileLimit?
  var cache: Cache?
  var temporary: Temporary
  /// Variables that change what imagemill does; passwords are masked.
  var environment: [String: String]
  var findings: [Finding]

  /// Whether something that is needed is broken.
  var isBroken: Bool { findings.contains { $0.isBroken } }
}
