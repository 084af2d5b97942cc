import CVips
import CVipsLibrary
import Synchronization

/// libvips in this process: loaded and started once, on first use, and set up for one pipeline at a time.
public enum VipsRuntime {
  /// Starts libvips, if it hasn't been started.
  ///
  /// The operation cache is off (it would serve a changed file's old pixels), a pipeline uses one thread
  /// unless `setConcurrency(_:)` says otherwise, loaders that libvips calls untrusted are blocked, and
  /// libvips' warnings go to `VipsLog`. Every operation calls this itself.
  /// - Throws: `VipsError` where libvips can't be loaded or can't start, as on every later call.
  public static func start() throws(VipsError) {
    if let failure { throw failure }
  }

  /// What went wrong at the start; nil when libvips runs. Evaluated once per process.
  private static let failure: VipsError? = {
    if let reason = cvips_library_load() {
      return VipsError(
        operation: "start",
        text: "libvips can't be loaded (\(String(cString: reason))); install it (Debian: libvips42)",
        isCertain: true)
    }
    ProcessMemory.limitArenas()
    // libvips loads more as it starts; a process that never starts it must come to the same answer.
    _ = LoadedLibraries.builds
    guard vips_init("imagemill") == 0 else {
      let text = VipsError.takeBuffer()
      return VipsError(operation: "start", text: text, isCertain: true)
    }
    vips_cache_set_max(0)
    vips_concurrency_set(1)
    vips_block_untrusted_set(1)
    VipsLog.install()
    return nil
  }()

  /// Whether libvips could be loaded, which is done here if it hasn't been.
  private static var isLoaded: Bool { cvips_library_load() == nil }

  /// How many threads evaluate one pipeline, from 1.
  public static func setConcurrency(_ threads: Int) throws(VipsError) {
    try start()
    vips_concurrency_set(Int32(clamping: max(1, threads)))
  }

  /// The installed libvips' version, as `8.14.1`; empty where libvips can't be loaded. Doesn't start libvips.
  public static let version: String = {
    guard isLoaded else { return "" }
    return "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
  }()

  /// The argument with which a saver leaves out all metadata: `keep` since libvips 8.15, `strip` before.
  package static var withoutMetadata: VipsArguments {
    guard isLoaded, (vips_version(0), vips_version(1)) >= (8, 15) else { return ["strip": true] }
    return ["keep": 0]
  }

  /// Whether libvips has the operation, by nickname; loaders and savers depend on how it was built.
  public static func hasOperation(_ nickname: String) throws(VipsError) -> Bool {
    try start()
    return vips_type_find("VipsOperation", nickname) != 0
  }

  /// Lets an operation that libvips calls untrusted run (`false`), or blocks it again (`true`).
  public static func setBlocked(_ blocked: Bool, operation className: String) throws(VipsError) {
    try start()
    vips_operation_block_set(className, blocked ? 1 : 0)
  }

  /// Bytes of pixel memory that libvips holds now.
  public static var memory: Int { isLoaded ? vips_tracked_get_mem() : 0 }

  /// The most bytes of pixel memory that libvips has held in this process.
  public static var memoryHighWater: Int { isLoaded ? vips_tracked_get_mem_highwater() : 0 }

  /// How many blocks of pixel memory libvips holds now: zero when every image is gone.
  public static var allocations: Int { isLoaded ? Int(vips_tracked_get_allocs()) : 0 }
}
