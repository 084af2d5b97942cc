import Glibc
import SystemIO
import Vips

/// The limits of resources that a worker process sets for itself before each request.
///
/// A limit is set only if it differs from the last request's, so that most requests cost one call, for the processor time
/// used so far.
struct WorkerLimits {
  /// The most bytes that a request may use beyond the memory that it is granted.
  static let mostAllowance = 256 << 20

  /// The bytes that a request may use beyond the memory that it is granted: for libraries that are loaded on first use, for
  /// fragmentation, for the stacks and buffers of the codecs' threads, and for the renditions that the worker keeps between
  /// requests. With two processors, a small image takes up to 67 MB, of which stacks are the most.
  static func allowance(renditions: Int, processors: Int = Machine.onlineProcessors) -> Int {
    min(mostAllowance, (96 + 16 * processors) << 20 + renditions)
  }

  /// The shortest file that is always allowed, in bytes.
  private static let leastFile = 256 << 20

  /// The most bytes of a file for each pixel that a request may have. A stored rendition of four bands of floating point
  /// numbers, the largest file that is written, takes 16.
  private static let bytesPerPixel = 64

  /// The memory that a request may use beyond its grant, in bytes: what the process used before its first request, and an
  /// allowance.
  private let extra: Int
  private let memory: Int?
  private let processorTime: Duration?
  private var data = SoftLimit(of: RLIMIT_DATA)
  private var fileSize = SoftLimit(of: RLIMIT_FSIZE)
  private var processor = SoftLimit(of: RLIMIT_CPU)

  /// - Parameters:
  ///   - memory: The most memory for rendering, in bytes; nil for no limit. A request is limited to its grant, which may be
  ///     less.
  ///   - renditions: The most memory for renditions that are kept between requests, in bytes.
  ///   - processorTime: The processor time of one request; nil for no limit.
  init(memory: Int?, renditions: Int, processorTime: Duration?) {
    extra = ProcessMemory.data + Self.allowance(renditions: renditions)
    self.memory = memory
    self.processorTime = processorTime
  }

  /// Sets the limits of a request. If one can't be set, the parent's timeout and the header check still limit the request.
  mutating func set(for limits: RenderLimits) {
    if let memory { data.set(min(memory, limits.memory) + extra) }
    let (bytes, isTooLarge) = limits.maxPixels.multipliedReportingOverflow(by: Self.bytesPerPixel)
    fileSize.set(isTooLarge ? .max : max(bytes, Self.leastFile))
    if let processorTime { renew(processorTime) }
  }

  /// Grants processor time, from now on. The limit holds for the process, not for a request, and in whole seconds.
  private mutating func renew(_ grant: Duration) {
    var used = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 else { return }
    let seconds = Int(clamping: grant.components.seconds) + 1
    let least = Int(used.tv_sec).addingReportingOverflow(seconds)
    guard !least.overflow, least.partialValue > processor.value else { return }
    // More than this request may take, so that short requests don't set it each time.
    processor.set(least.partialValue + min(seconds, 10))
  }
}

/// A soft limit of the process, which stays below a limit that it was started with: the hard limit, or for file sizes the
/// soft limit.
private struct SoftLimit {
  private let resource: __rlimit_resource_t
  /// nil if it can't be read, and so not set.
  private let most: rlim_t?
  private let hard: rlim_t
  /// The last value set; 0 if none was.
  private(set) var value = 0

  init(of resource: __rlimit_resource) {
    self.resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    let isKnown = getrlimit(self.resource, &limit) == 0
    most = isKnown ? resource == RLIMIT_FSIZE ? limit.rlim_cur : limit.rlim_max : nil
    hard = limit.rlim_max
  }

  mutating func set(_ new: Int) {
    guard new != value, let most else { return }
    value = new
    var limit = rlimit(rlim_cur: min(most, rlim_t(new)), rlim_max: hard)
    _ = setrlimit(resource, &limit)
  }
}
