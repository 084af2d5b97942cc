import Glibc
import ImageFilters
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
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    let sandbox = arguments.count > 1 ? WorkerSandbox(rawValue: arguments[1]) ?? .off : .off
    restrict { () throws(SystemError) in try sandbox.enter() }
    // The kernel ends a worker with its parent only from now on.
    if isParentGone { exit(0) }
    run(
      memoryLimit: arguments.first.flatMap { Int($0) },
      processorTime: arguments.count > 2 ? Int(arguments[2]).map { .seconds($0) } : nil,
      waitingForPlacesOf: sandbox.restrictsFiles ? sandbox : nil)
  }

  /// Makes a restriction, or ends the process.
  private static func restrict(_ body: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try body()
    } catch {
      report(sandboxFailure, error)
      exit(1)
    }
  }

  /// Tells the parent why the process ends.
  private static func report(_ what: String, _ error: SystemError) {
    let text = Array("\(what): \(error.text)\n".utf8)
    write(STDERR_FILENO, text, text.count)
  }

  /// Begins the message of a worker that can't restrict itself.
  static let sandboxFailure = "can't restrict the worker process"
  /// Begins the message of a worker that can't take a request's open files.
  static let receivingFailure = "can't receive a request"

  /// Serves requests until the parent closes the socket.
  /// - Parameters:
  ///   - memoryLimit: The most memory for rendering, in bytes; nil for no limit. A request is limited
  ///     to its grant, which may be less.
  ///   - processorTime: The processor time of one request; nil for no limit.
  ///   - sandbox: The restrictions whose files the parent names first; nil if it names none. Default: nil.
  package static func run(
    memoryLimit: Int?, processorTime: Duration? = nil, waitingForPlacesOf sandbox: WorkerSandbox? = nil
  ) {
    // The terminal sends SIGINT to the whole process group, but the parent decides when workers end.
    signal(SIGINT, SIG_IGN)
    // A file that grows beyond its limit fails the request with EFBIG instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // libvips would start its threads at once, and no rule would hold for them.
    if sandbox != nil { unsetenv("VIPS_MAX_THREADS") }
    // Before the first request, whose source may still be read. That request reports an error.
    try? VipsRuntime.start()
    let renditions = min(Self.renditionMemory, (memoryLimit ?? .max) / 8)
    // With the memory that libvips has taken already.
    var limits = WorkerLimits(memory: memoryLimit, renditions: renditions, processorTime: processorTime)
    let socket = FramedSocket(descriptor: socketDescriptor)
    do { try socket.send(WorkerGreeting(engine: RenderKeys.engine)) } catch { return }
    if let sandbox {
      let places: WorkerPlaces
      do { places = try socket.receive(WorkerPlaces.self) } catch { return }
      restrict { () throws(SystemError) in try places.enter(isStrict: sandbox == .strict) }
    }
    exitWithParent()
    var renderer = Renderer(memory: renditions)
    #if DEBUG
      let hook = FaultInjection.fromEnvironment
    #endif
    while true {
      do {
        var files: [FileDescriptor] = []
        // They are open as long as the request is rendered.
        defer { withExtendedLifetime(files) {} }
        let request = try socket.receive(RenderRequest.self, files: &files)
        limits.set(for: request.limits)
        AllocationWatch.begin()
        let allocations = AllocationWatch()
        PlacedFiles.set(request.files)
        #if DEBUG
          hook?.act(on: request)
        #endif
        try socket.send(renderer.render(request))
        // The renditions that it has kept take memory too.
        if allocations.hasFailed { renderer = Renderer(memory: renditions) }
      } catch FramedSocket.Failure.system(let code) {
        report(receivingFailure, SystemError(code: code))
        return
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
}
