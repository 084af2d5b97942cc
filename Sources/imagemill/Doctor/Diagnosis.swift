import SystemIO

/// The report of `imagemill doctor`.
struct Diagnosis: Encodable {
  /// A problem and its remedy.
  struct Finding: Encodable {
    /// Whether the problem keeps imagemill from working.
    var isBroken: Bool
    var problem: String
    var remedy: String
  }

  struct System: Encodable {
    /// `PRETTY_NAME` of `/etc/os-release`.
    var name: String
    var kernel: String
    var architecture: String
  }

  struct Pixels: Encodable {
    var version: String
    /// The file names of the loaded libraries that decode and encode.
    var libraries: [String]
  }

  struct Transfers: Encodable {
    var version: String
    var tls: String?
    var http2: Bool
    var encodings: [String]
    var protocols: [String]
    /// The files and directories of certificate authorities that libcurl reads by default.
    var certificates: [String]
  }

  struct Formats: Encodable {
    var read: [String]
    var readOnRequest: [String]
    var written: [String]
    /// Formats that this libvips can't read or write, such as `read jxl`.
    var missing: [String]
  }

  struct Processors: Encodable {
    /// The CPUs of the scheduler's affinity.
    var online: Int
    /// The control group's quota, in CPUs.
    var quota: Double?
    /// The default number of rendering slots.
    var slots: Int
  }

  struct Memory: Encodable {
    var installed: Int
    /// The control group's memory limit, in bytes.
    var limit: Int?
    /// The default memory limit of all workers together, in bytes.
    var rendering: Int
  }

  struct DescriptorLimit: Encodable {
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
    /// `sound`, `absent`, or the error of the index.
    var index: String
  }

  struct Temporary: Encodable {
    var directory: String
    var writable: Bool
    var free: Int?
  }

  /// The version of JSON documents (``JSONText/documentVersion``).
  var version = JSONText.documentVersion
  var imagemill: String
  var system: System
  var libvips: Pixels
  var libcurl: Transfers
  var formats: Formats
  var processors: Processors
  var memory: Memory
  var openFiles: DescriptorLimit?
  /// The restrictions of worker processes that this kernel has.
  var sandbox: String
  var cache: Cache?
  var temporary: Temporary
  /// Environment variables that affect imagemill, with passwords masked.
  var environment: [String: String]
  var findings: [Finding]

  /// Whether any finding keeps imagemill from working.
  var isBroken: Bool { findings.contains { $0.isBroken } }
}
