import Glibc
import Vips

/// The other side of a ``WorkerPool``'s process: what the child runs instead of a command.
public enum WorkerMain {
  /// The argument by which the executable knows that it is a worker; internal, and in no manual.
  public static let argument = "--render-worker"
  /// The descriptor of the socket to the parent.
  static let socketDescriptor: Int32 = 3

  /// The most that a worker keeps of pixels from one request to the next, in bytes: AutoPurgingImageCache's capacity.
  static let renditionMemory = 100_000_000

  /// What a request may take beyond the pixels that it is granted, in bytes: codecs' own buffers, caches, fragmentation.
  static let allowance = 256 << 20

  /// Answers requests until the parent closes the socket. `memoryLimit` is what rendering may take at most, in bytes; a
  /// request is held to what it was granted of it.
  public static func run(memoryLimit: Int?) {
    // The terminal sends SIGINT to the whole group: the parent decides about what is in flight.
    signal(SIGINT, SIG_IGN)
    let base = ProcessMemory.data
    exitWithParent()
    let socket = FramedSocket(descriptor: socketDescriptor)
    let renderer = Renderer(memory: min(Self.renditionMemory, (memoryLimit ?? .max) / 8))
    let hook = CrashHook.fromEnvironment
    while true {
      do {
        let request = try socket.receive(RenderRequest.self)
        hook?.act(on: request)
        if let memoryLimit {
          limitMemory(to: base + min(memoryLimit, request.limits.memory) + Self.allowance)
        }
        try socket.send(renderer.render(request))
      } catch {
        return
      }
    }
  }

  /// A worker must not render on when its parent has died in the middle of a request.
  private static func exitWithParent() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        var entry = pollfd(fd: WorkerMain.socketDescriptor, events: 0, revents: 0)
        while poll(&entry, 1, -1) < 0 && errno == EINTR {}
        _exit(0)
      }, nil)
    pthread_detach(thread)
  }

  private static func limitMemory(to bytes: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(bytes))
    // A limit that can't be set leaves the parent's time limit and the check of the header.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
  }
}

/// Lets a test see what a dying decoder does to a batch: a source whose name holds the word kills, or hangs, the
/// worker that takes it. Set by `IMAGEMILL_TEST_WORKER=crash:WORD` or `hang:WORD`.
struct CrashHook {
  let action: String
  let word: String

  static var fromEnvironment: CrashHook? {
    guard let text = getenv("IMAGEMILL_TEST_WORKER").map({ String(cString: $0) }) else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return CrashHook(action: String(parts[0]), word: String(parts[1]))
  }

  func act(on request: RenderRequest) {
    guard request.sourceName.contains(word) else { return }
    switch action {
    case "crash": abort()
    case "hang": while true { pause() }
    default: return
    }
  }
}
