import CVips
import CVipsLibrary
import Synchronization

/// libvips in this process, loaded and started once on first use.
public enum VipsRuntime {
  /// Starts libvips if it isn't running. Every operation calls this itself.
  ///
  /// This changes libvips for the whole process, so also for other code that uses libvips in it. These libraries change
  /// nothing else of the process that calls them, except that the first download calls `curl_global_init`. Nothing is
  /// undone later:
  ///
  /// - the operation cache is off (`vips_cache_set_max(0)`), because it would return the old pixels of a changed file;
  /// - a pipeline of operations uses one thread (`vips_concurrency_set(1)`). A `Batch` or a `Conversion` that renders in
  ///   process and has fewer images than threads uses more, unless the program has set the number itself;
  /// - operations that libvips marks as untrusted are blocked (`vips_block_untrusted_set`), and allowed from the first use
  ///   that needs one: ImageMagick's loader for a BMP, ICO or XBM file, which are read by default; the loader of a format
  ///   that `RenderLimits` allows; the saver of JPEG XL; the loader of libvips' own format, for temporary files with large
  ///   images;
  /// - GLib's messages of the domain `VIPS` go to ``VipsLog``, not to standard error;
  /// - glibc keeps two memory arenas (`mallopt(M_ARENA_MAX)`), because freed pixels would stay in those of old threads.
  ///
  /// A program that needs other settings calls this at its start, and then sets its own.
  /// - Throws: `VipsError` if libvips can't be loaded or started. Every later call throws the same error.
  public static func start() throws(VipsError) {
    if let failure { throw failure }
  }

  /// The error of the start; nil if libvips runs. Evaluated once per process.
  private static let failure: VipsError? = {
    if let reason = cvips_library_load() {
      return VipsError(
        operation: "start",
        text: "libvips can't be loaded (\(String(cString: reason))); install it (Debian: libvips42)",
        isCertain: true)
    }
    ProcessMemory.limitArenas()
    // Read the builds before `vips_init` loads more libraries, so that processes that never start libvips get the same.
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

  /// Whether libvips is loaded. Loads it on first use.
  private static var isLoaded: Bool { cvips_library_load() == nil }

  /// The number that ``useConcurrency(_:)`` set last; nil after ``setConcurrency(_:)``.
  private static let ownConcurrency = Mutex<Int?>(1)

  /// Sets the number of threads that evaluate a pipeline (`vips_concurrency_set`). Default: 1. No batch changes
  /// it after this call.
  /// - Parameter threads: The number of threads. Values below 1 mean 1.
  /// - Throws: `VipsError` if libvips can't be loaded or started.
  public static func setConcurrency(_ threads: Int) throws(VipsError) {
    try start()
    ownConcurrency.withLock { own in
      own = nil
      vips_concurrency_set(Int32(clamping: max(1, threads)))
    }
  }

  /// Sets the number of threads for a rendering, unless the program has set it, here or in its own libvips code.
  package static func useConcurrency(_ threads: Int) throws(VipsError) {
    try start()
    ownConcurrency.withLock { own in
      guard let last = own, Int(vips_concurrency_get()) == last else { return }
      vips_concurrency_set(Int32(clamping: max(1, threads)))
      own = Int(vips_concurrency_get())
    }
  }

  /// The number of threads that evaluate a pipeline. libvips must run.
  package static var concurrency: Int { Int(vips_concurrency_get()) }

  /// The version of the installed libvips, such as `8.14.1`; empty if it can't be loaded. Doesn't start libvips.
  public static let version: String = {
    guard isLoaded else { return "" }
    return "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
  }()

  /// The longest side of an image that loaders accept, in pixels: `VIPS_MAX_COORD`, and since libvips 8.17 the default of
  /// `VIPS_MAX_COORD` in the environment.
  package static var longestSide: Int {
    isLoaded && (vips_version(0), vips_version(1)) >= (8, 17) ? 100_000_000 : 10_000_000
  }

  /// The argument with which savers omit all metadata: `keep` since libvips 8.15, `strip` before.
  package static var withoutMetadata: VipsArguments {
    guard isLoaded, (vips_version(0), vips_version(1)) >= (8, 15) else { return ["strip": true] }
    return ["keep": 0]
  }

  /// Whether libvips has an operation. Loaders and savers depend on how libvips was built.
  /// - Parameter nickname: The operation's nickname, such as `heifsave`.
  /// - Throws: `VipsError` if libvips can't be loaded or started.
  public static func hasOperation(_ nickname: String) throws(VipsError) -> Bool {
    try start()
    return vips_type_find("VipsOperation", nickname) != 0
  }

  /// Blocks or allows an operation class and its subclasses (`vips_operation_block_set`), in the whole
  /// process.
  /// - Parameters:
  ///   - blocked: True to block; false to allow, for example an operation that libvips marks as untrusted.
  ///   - className: The name of the class, such as `VipsForeignLoadSvg`. An unknown class is ignored.
  /// - Throws: `VipsError` if libvips can't be loaded or started.
  public static func setBlocked(_ blocked: Bool, operation className: String) throws(VipsError) {
    try start()
    vips_operation_block_set(className, blocked ? 1 : 0)
  }

  /// The pixel memory that libvips holds now, in bytes.
  public static var memory: Int { isLoaded ? vips_tracked_get_mem() : 0 }

  /// The most pixel memory that libvips has held in this process, in bytes.
  public static var memoryHighWater: Int { isLoaded ? vips_tracked_get_mem_highwater() : 0 }

  /// The number of blocks of pixel memory that libvips holds now; 0 when every image has been released.
  package static var allocations: Int { isLoaded ? Int(vips_tracked_get_allocs()) : 0 }
}
