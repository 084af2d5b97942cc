import Glibc
import SystemIO
import Vips

/// The main function of a worker process.
public enum WorkerMain {
  /// The first argument of a worker's executable. It isn't a documented option.
  package static let argument = "--render-worker"
  /// The descriptor of the socket to the parent.
  static let socketDescriptor: Int32 = 3

  /// The maximum size of the renditions that a worker keeps between requests, in bytes of pixels (the default
  /// capacity of `AutoPurgingImageCache`).
  static let renditionMemory = 100_000_000

  /// Bytes that a request may use beyond the memory that it is granted: codec buffers, caches, fragmentation.
  static let allowance = 256 << 20

  /// Makes the program an executable for worker processes (`RenderingMode.workerProcesses`): in a worker it serves
  /// requests and never returns, in any other process it does nothing. It must be the first line of the program: what
  /// runs before it runs in every worker too.
  ///
  ///     WorkerMain.runIfWorker()
  public static func runIfWorker() {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, arguments[1] == argument else { return }
    run()
    exit(0)
  }

  /// Serves requests until the parent closes the socket, with the limits and restrictions in the program's arguments.
  package static func run() {
    let arguments = CommandLine.arguments.dropFirst(2)
    if let word = arguments.dropFirst().first, let sandbox = WorkerSandbox(rawValue: word) {
      do throws(SystemError) {
        try sandbox.enter()
      } catch {
        let text = Array("\(sandboxFailure): \(error.text)\n".utf8)
        write(STDERR_FILENO, text, text.count)
        exit(1)
      }
    }
    // The kernel ends a worker with its parent only from now on.
    if isParentGone { exit(0) }
    run(memoryLimit: arguments.first.flatMap { Int($0) })
  }

  /// Begins the message of a worker that can't restrict itself.
  static let sandboxFailure = "can't restrict the worker process"

  /// Serves requests until the parent closes the socket.
  /// - Parameter memoryLimit: The most memory for rendering, in bytes; nil for no limit. A request is limited
  ///   to its grant, which may be less.
  package static func run(memoryLimit: Int?) {
    // The terminal sends SIGINT to the whole process group, but the parent decides when workers end.
    signal(SIGINT, SIG_IGN)
    let base = ProcessMemory.data
    exitWithParent()
    // Before the first request, whose source may still be read. That request reports an error.
    try? VipsRuntime.start()
    let socket = FramedSocket(descriptor: socketDescriptor)
    let renderer = Renderer(memory: min(Self.renditionMemory, (memoryLimit ?? .max) / 8))
    #if DEBUG
      let hook = FaultInjection.fromEnvironment
    #endif
    while true {
      do {
        let request = try socket.receive(RenderRequest.self)
        #if DEBUG
          hook?.act(on: request)
        #endif
        if let memoryLimit {
          limitMemory(to: base + min(memoryLimit, request.limits.memory) + Self.allowance)
        }
        try socket.send(renderer.render(request))
      } catch {
        return
      }
    }
  }

  private static var isParentGone: Bool {
    var entry = pollfd(fd: socketDescriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Ends the worker when its parent dies, even in the middle of a request.
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
    // If this fails, the parent's timeout and the header check still limit the request.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
  }
}
