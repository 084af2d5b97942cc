/// The environment variables of a worker process.
enum WorkerEnvironment {
  /// Variables that are set for every worker.
  private static let own = [
    // Report a crash immediately, by its signal, instead of printing a backtrace.
    "SWIFT_BACKTRACE": "enable=no",
    // Keep freed memory for the next image, which is usually as large. Returning pages to the kernel and faulting
    // them in again took 4 % of the time of small images.
    "MALLOC_TRIM_THRESHOLD_": String(32 << 20),
    "MALLOC_MMAP_THRESHOLD_": String(8 << 20),
    // Only one thread works at a time, so that one arena is enough.
    "MALLOC_ARENA_MAX": "1",
  ]

  /// Variables that a worker inherits, because they affect which libraries, fonts and directories it uses.
  private static let passedOn: Set<String> = [
    // The dynamic linker's search path for libvips.
    "LD_LIBRARY_PATH", "LD_PRELOAD",
    // fontconfig's fonts, settings and cache.
    "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "FONTCONFIG_FILE",
    "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT",
    // Pango chooses glyphs by language.
    "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "PANGO_LANGUAGE",
    // The directory for large temporary files.
    "TMPDIR",
  ]

  /// Prefixes of inherited variables: settings of libvips, GLib, and the compilers' sanitizers and profiles.
  private static let passedOnPrefixes = [
    "VIPS_", "G_DEBUG", "G_MESSAGES_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "LLVM_PROFILE_",
  ]

  private static func isForTests(_ name: String) -> Bool {
    #if DEBUG
      name == FaultInjection.variable
    #else
      false
    #endif
  }

  /// A worker's variables, if this process has `variables`.
  static func variables(from variables: [String: String]) -> [String: String] {
    variables.filter { name, _ in
      passedOn.contains(name) || isForTests(name) || passedOnPrefixes.contains { name.hasPrefix($0) }
    }.merging(own) { $1 }
  }

  /// Splits an entry of `environ` into name and value; nil without `=`.
  static func split(_ entry: String) -> (name: String, value: String)? {
    guard let equals = entry.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (String(entry[..<equals]), String(entry[entry.utf8.index(after: equals)...]))
  }
}
