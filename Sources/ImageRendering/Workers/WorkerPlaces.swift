import CSandbox
import Glibc
import SystemIO

/// The files and directories that a worker process may use, which its parent tells it before its first request.
struct WorkerPlaces: WireValue, Hashable {
  /// Where it may create files.
  var directory: String
  /// Where the parent puts files for it.
  var inputs: String
  /// What libraries read.
  var readable: [String]

  /// Restricts the process to these places.
  ///
  /// The rules don't hold for threads that were started before. Only libraries that are loaded into every process start some,
  /// such as those of `LD_PRELOAD`, and they decode nothing.
  /// - Parameter isStrict: Whether such a thread is an error.
  /// - Throws: `SystemError` if the kernel refuses a rule, with code `EBUSY` for another thread.
  func enter(isStrict: Bool) throws(SystemError) {
    if isStrict {
      guard try Directory.entries(of: "/proc/self/task").count == 1 else { throw SystemError(code: EBUSY) }
    }
    // The places of temporary files of libvips, ImageMagick and GLib.
    setenv("TMPDIR", directory, 1)
    var rules: Int32 = -1
    try WorkerSandbox.check(csandbox_files_begin(&rules))
    for path in readable { try WorkerSandbox.check(csandbox_files_read(rules, path)) }
    try WorkerSandbox.check(csandbox_files_read_libraries(rules))
    try WorkerSandbox.check(csandbox_files_read(rules, inputs))
    for path in [directory, "/dev/null"] { try WorkerSandbox.check(csandbox_files_write(rules, path)) }
    try WorkerSandbox.check(csandbox_files_enter(rules))
  }

  init(directory: String, inputs: String, readable: [String]) {
    self.directory = directory
    self.inputs = inputs
    self.readable = readable
  }

  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(directory)
    try writer.write(inputs)
    try writer.write(readable)
  }

  init(from reader: inout WireReader) throws(WireError) {
    directory = try reader.read()
    inputs = try reader.read()
    readable = try reader.read()
  }
}

/// What the libraries of a worker process read, besides a job's files.
enum ReadablePlaces {
  /// The same for all workers of a process.
  static let all: [String] =
    fixed + FontDirectories(environment: environment).all + ofUser

  private static let fixed = [
    // Modules of libvips, libheif and ImageMagick, converters of character sets, and their data. Everybody may read them.
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/local/lib",
    "/usr/local/share",
    "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime",
    // Without its policy, ImageMagick would have no limits.
    "/etc/ImageMagick-6", "/etc/ImageMagick-7", "/usr/local/etc/ImageMagick-6",
    "/usr/local/etc/ImageMagick-7",
    "/usr/local/etc/fonts",
    "/dev/zero", "/dev/urandom", "/dev/random",
    // The number and kind of processors, and the memory.
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/sys/vm",
    "/sys/devices/system/cpu", "/sys/devices/system/node",
  ]

  /// Libraries in other directories, and the user's policy for ImageMagick.
  private static var ofUser: [String] {
    let (home, variables) = (environment["HOME"] ?? "", environment)
    let libraries = (variables["LD_LIBRARY_PATH"] ?? "").split(separator: ":").map { path in
      String(path.reversed().drop { $0 == "/" }.reversed())
    }.filter { $0.hasPrefix("/") && $0 != home }
    let settings = variables["XDG_CONFIG_HOME"] ?? home + "/.config"
    return libraries + [settings + "/ImageMagick"].filter { $0.hasPrefix("/") }
  }

  private static var environment: [String: String] {
    var variables: [String: String] = [:]
    for name in FontDirectories.variables + ["LD_LIBRARY_PATH"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }
}
